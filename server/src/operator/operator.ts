/**
 * The operator console: accounts, carriers, payments, settings. Other callers get the response for an unknown path. Every
 * change is written in one transaction with its audit entry.
 */
export { authenticateOperator, makeFirstOperator } from './access/access.ts';
export { addOperator, findOperator, removeOperator, selectOperators } from './access/operators.ts';
export { operatorJobs, operatorRetention } from './accounts/erasures.ts';
export { shownAnnouncements } from './announcements.ts';
export { countryRoutingOf, routingOf } from './carriers/carriers.ts';
export { STORED_CARRIERS } from './carriers/setups.ts';
export type { ServiceApp } from './routes.ts';
export {
  type Activity,
  activityJobs,
  countActivity,
  createActivity,
  selectLookupPause,
} from './service-counts.ts';
