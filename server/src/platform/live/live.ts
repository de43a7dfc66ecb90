/**
 * Live rows: tells open dashboards which of their lists have changed. Each process queries the database once a second for all
 * accounts that listen to it. So sends pay nothing, processes need no connection to each other, and it works through any
 * connection pooler.
 */

export { createLiveRows, EventStream, type LiveRows, type StateOf } from './live-rows.ts';
