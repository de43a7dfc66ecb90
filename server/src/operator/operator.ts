/**
 * The console of those who run the deployment: accounts, carriers, payments, settings. To anybody else it does not exist. Every
 * change is one transaction with its entry in the audit.
 */
export { authenticateOperator } from './access.ts';
export { type ShownAnnouncement, shownAnnouncements } from './announcements.ts';
export { countryRoutingOf, routingOf } from './carriers.ts';
export { operatorRetention } from './erasure-queries.ts';
export { makeFirstOperator } from './first-operator.ts';
export { addOperator, removeOperator } from './operators.ts';
export { findOperator, selectOperators } from './queries.ts';
export type { ServiceApp } from './service-routes.ts';
