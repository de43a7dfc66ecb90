/** The door of this module: the log of public API requests, which customers read in the dashboard. */
export type { RequestLogEntry } from './entry.ts';
export { failedRequestsAbout, refusedSendsOf, requestLogOf, requestLogsOf } from './list.ts';
export { selectNewestRequests, selectNewRequests } from './queries.ts';
export { recordAnswers } from './record.ts';
export {
  deleteRequestLogsOf,
  eraseRecipientFromLogs,
  requestLogRetention,
  requestLogTexts,
} from './upkeep.ts';
export { createRequestLogWriter, type RequestLogWriter } from './writer.ts';
