/** The door of this module: the log of public API requests, which customers read in the dashboard. */
export type { RequestLogEntry } from './entry.ts';
export { deleteRequestLogsOf, eraseRecipientFromLogs, requestLogTexts } from './erasure.ts';
export { refusedSendsOf, requestLogOf, requestLogsOf } from './list.ts';
export { selectNewestRequests } from './queries.ts';
export { recordAnswers } from './record.ts';
export { requestLogRetention } from './retention.ts';
export { createRequestLogWriter, type RequestLogWriter } from './writer.ts';
