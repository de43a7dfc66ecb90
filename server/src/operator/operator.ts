/**
 * The console of those who run the deployment: accounts, carriers, payments, settings. To anybody else it does not exist. Every
 * change is one transaction with its entry in the audit.
 */
export { authenticateOperator } from './access/access.ts';
export { makeFirstOperator } from './access/first-operator.ts';
export { addOperator, removeOperator } from './access/operators.ts';
export { operatorRetention } from './accounts/erasure-queries.ts';
export { type ShownAnnouncement, shownAnnouncements } from './announcements.ts';
export { countryRoutingOf, routingOf } from './carriers/carriers.ts';
export { findOperator, selectOperators } from './queries.ts';
export type { ServiceApp } from './service-routes.ts';
