/**
 * Live rows: tells open dashboards which of their lists have changed. Each process queries the database once a second for all
 * accounts whose dashboards listen to it. Sends therefore have no extra cost, processes need no connections to each other, and
 * any connection pooler works.
 */

export { createLiveRows, EventStream, type LiveRows, STREAM_HEADERS, type StateOf } from './live-rows.ts';
export { createHeartbeat, createPolling, RETRY_SECONDS, reconnectMs, returnMs } from './polling.ts';
