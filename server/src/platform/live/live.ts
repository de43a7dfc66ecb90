/**
 * Live rows: tells open dashboards which of their lists have changed. Each process asks the database about the accounts that are
 * listening to it, once a second and all at once. So sends pay nothing, the processes need no connection to each other, and it works
 * through any connection pooler.
 */

export { createLiveRows, EventStream, type LiveRows, type StateOf } from './live-rows.ts';
