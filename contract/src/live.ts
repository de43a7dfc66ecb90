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
  description: `After the event ready, the client receives every change, so it loads its lists then. An event named changed means that rows of the account's lists are new or different: its data is {"topics": [...]} with some of ${LIVE_TOPICS.join(', ')}. Events carry no rows, so after a break it is enough to load the lists again. Several changes within two seconds make one event. A comment arrives at least every ${LIVE_HEARTBEAT_SECONDS} seconds. The stream ends with the session and when the process stops. An account can have five streams per process; further ones get live_limit_reached. If the process has as many streams as it can serve, it ends the oldest stream of the account that has most.`,
  stream: 'text/event-stream',
  failures: ['live_limit_reached'],
});
