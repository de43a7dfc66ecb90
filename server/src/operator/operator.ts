/**
 * The console of those who run the deployment: accounts, carriers, payments, settings. To anybody else it does not exist. Every
 * change is one transaction with its entry in the audit.
 */
export { authenticateOperator, makeFirstOperator } from './access/access.ts';
export { addOperator, findOperator, removeOperator, selectOperators } from './access/operators.ts';
export { operatorJobs, operatorRetention } from './accounts/erasures.ts';
export { type ShownAnnouncement, shownAnnouncements } from './announcements.ts';
export { countryRoutingOf, routingOf } from './carriers/carriers.ts';
export type { ServiceApp } from './routes.ts';
