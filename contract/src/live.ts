import { route } from './route.ts';

/** The lists that an event can report as changed. */
export const LIVE_TOPICS = ['verifications', 'requests', 'credits'] as const;
export type LiveTopic = (typeof LIVE_TOPICS)[number];

/** A comment follows at least this often, so that a client notices a dead connection. */
export const LIVE_HEARTBEAT_SECONDS = 15;

export const openLive = route('GET /live/', {
  name: 'openLive',
  tag: 'verifications',
  auth: 'bearer',
  summary: 'Server-sent events about new and changed rows',
  description: `Load the lists after the event ready: from then on, the stream reports every change. An event named changed means that rows were added to the account's lists or changed. Its data is {"topics": [...]} with one or more of ${LIVE_TOPICS.join(', ')}. Events contain no rows, so after an interruption it is enough to reload the lists. Changes within two seconds are combined into one event. A comment arrives at least every ${LIVE_HEARTBEAT_SECONDS} seconds. The stream ends with the session and when the process stops. An account can have five streams per process; further ones get live_limit_reached. When a process reaches its maximum number of streams, it ends the oldest stream of the account that has the most.`,
  stream: 'text/event-stream',
  failures: ['live_limit_reached'],
});
