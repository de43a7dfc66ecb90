import {
  EVENTS_PER_SECOND,
  type EventTopic,
  STREAMS_OF_ACCOUNT,
  STREAMS_OF_KEY,
} from '@sixdigit/contract/events.ts';
import { type LastingUse, stillUsable } from '../api-keys/api-keys.ts';
import { monotonicMs } from '../platform/clock.ts';
import type { Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import {
  createHeartbeat,
  createPolling,
  EventStream,
  RETRY_SECONDS,
  reconnectMs,
  returnMs,
} from '../platform/live/live.ts';
import type { Needs } from '../platform/platform.ts';
import { timeOfUuid, uuidFloor } from '../platform/security/random.ts';
import { selectNewRequests } from '../request-logs/request-logs.ts';
import { newMessages } from '../webhooks/webhooks.ts';

/** Streams of new rows for API keys, such as those of `sixdigit logs --follow` and `sixdigit listen`. */
export interface EventStreams {
  /** Throws `stream_limit_reached`. `last_id` is the last event that the client has. */
  open(follower: Follower, last_id?: string): EventStream;
  /** Reads new rows once, ends the streams whose key may no longer follow, and sends the rows to the others. */
  poll(): Promise<void>;
  /** Ends all streams when the process stops. */
  close(): void;
}

/** Who follows which events. */
export interface Follower {
  account_id: string;
  api_key_id: string;
  is_test: boolean;
  topic: EventTopic;
  use: LastingUse;
}

/** All streams of a process. When it is full, a new one replaces the oldest of the account that has the most. */
const A_PROCESS = 200;
/**
 * Each poll looks this far back, because a row becomes visible when its transaction commits, and its id is older. Clocks of
 * processes differ as well.
 */
const LOOK_BACK_MS = 15_000;
/** How far back an interrupted stream can begin. */
const RESUMED_MS = 300_000;
const UNREAD_BYTES = 512 * 1024;

type Row = { id: string };
type Wanted = { account_id: string; is_test: boolean; from_id: string };
type ReadNew = (
  sql: Sql,
  wanted: readonly Wanted[],
  among: { known: readonly string[]; most: number },
) => Promise<{ of: number; row: Row }[]>;

interface Open {
  follower: Follower;
  stream: EventStream;
  last_id: string | undefined;
  is_new: boolean;
}

/** Streams with the same events, which one query reads. */
interface Group {
  topic: EventTopic;
  account_id: string;
  is_test: boolean;
  opens: Open[];
  /** the ids of rows that the group has seen, with the time when it saw them */
  seen: Map<string, number>;
  /** the group has seen all rows from before its first poll, so that any other row is new */
  is_ready: boolean;
}

const keyOf = ({ topic, account_id, is_test }: Follower): string => `${topic} ${account_id} ${is_test}`;
const NAMES = { requests: 'request', webhooks: 'webhook' } as const satisfies Record<EventTopic, string>;

export function createEventStreams(app: Needs<'db' | 'clock' | 'log' | 'random' | 'vault'>): EventStreams {
  const readers: Record<EventTopic, ReadNew> = {
    requests: selectNewRequests,
    webhooks: (sql, wanted, among) => newMessages(app, sql, wanted, among),
  };
  const groups = new Map<string, Group>();
  const opens = new Set<Open>();
  const isBeatDue = createHeartbeat();
  let isClosed = false;

  function leave(open: Open): void {
    if (!opens.delete(open)) return;
    const key = keyOf(open.follower);
    const group = groups.get(key);
    if (!group) return;
    group.opens = group.opens.filter((other) => other !== open);
    if (group.opens.length === 0) groups.delete(key);
  }

  const openOf = (is: (follower: Follower) => boolean): number =>
    [...opens].filter(({ follower }) => is(follower)).length;

  /** Ends the oldest stream of the accounts that have the most, if those have more than `own`. */
  function makeRoom(own: number): boolean {
    const counts = new Map<string, number>();
    for (const { follower } of opens)
      counts.set(follower.account_id, (counts.get(follower.account_id) ?? 0) + 1);
    const most = Math.max(...counts.values());
    if (most <= own) return false;
    return endOldest((follower) => counts.get(follower.account_id) === most);
  }

  /** Ends the oldest of these streams. False if there is none. */
  function endOldest(is: (follower: Follower) => boolean): boolean {
    // A set is in the order of its additions.
    const oldest = [...opens].find(({ follower }) => is(follower));
    if (!oldest) return false;
    leave(oldest);
    oldest.stream.end(returnMs(app.random));
    return true;
  }

  /** Test keys do not keep out a live key of their account. */
  const makeRoomForLive = ({ account_id, is_test }: Follower): boolean =>
    !is_test && endOldest((other) => other.account_id === account_id && other.is_test);

  const floorBefore = (ms: number): string => uuidFloor(new Date(app.clock.now().getTime() - ms));

  async function readTopic(topic: EventTopic): Promise<{ open: Open; rows: Row[]; isFull: boolean }[]> {
    const asked = [...groups.values()].filter((group) => group.topic === topic);
    if (asked.length === 0) return [];
    const from_id = floorBefore(LOOK_BACK_MS);
    const known = asked.flatMap(({ seen }) => [...seen.keys()]);
    const found = await readers[topic](
      app.db,
      asked.map(({ account_id, is_test }) => ({ account_id, is_test, from_id })),
      { known, most: EVENTS_PER_SECOND },
    );
    const nowMs = monotonicMs();
    return asked.flatMap((group, of) => {
      const rows = found.filter((one) => one.of === of).map(({ row }) => row);
      for (const [id, seenMs] of group.seen) if (nowMs - seenMs > 2 * LOOK_BACK_MS) group.seen.delete(id);
      for (const { id } of rows) group.seen.set(id, nowMs);
      const isFull = rows.length === EVENTS_PER_SECOND;
      if (group.is_ready) return group.opens.map((open) => ({ open, rows, isFull }));
      group.is_ready = !isFull;
      return group.is_ready ? group.opens.map((open) => ({ open, rows: [], isFull })) : [];
    });
  }

  /** The rows after the last one that the client of a new stream has. */
  async function resumed({ follower, last_id }: Open): Promise<Row[]> {
    if (last_id === undefined) return [];
    const { topic, account_id, is_test } = follower;
    const sinceMs = Math.max(timeOfUuid(last_id) - LOOK_BACK_MS, app.clock.now().getTime() - RESUMED_MS);
    const from_id = uuidFloor(new Date(sinceMs));
    const found = await readers[topic](app.db, [{ account_id, is_test, from_id }], {
      known: [last_id],
      most: EVENTS_PER_SECOND,
    });
    return found.map(({ row }) => row);
  }

  async function poll(): Promise<void> {
    if (opens.size === 0) return;
    const read = [...(await readTopic('requests')), ...(await readTopic('webhooks'))];
    const before = new Map<Open, Row[]>();
    for (const { open } of read) if (open.is_new) before.set(open, await resumed(open));
    // After the rows, so that no row is sent that was written after the key's end.
    const asked = [...opens];
    const usable = await stillUsable(
      app.db,
      asked.map(({ follower }) => follower.use),
    );
    for (const [position, open] of asked.entries()) {
      if (usable[position]) continue;
      leave(open);
      open.stream.end(0);
    }
    const nowMs = monotonicMs();
    for (const { open, rows, isFull } of read) {
      if (!opens.has(open)) continue;
      const { stream, follower } = open;
      // Without an event so far, the client continues from here. A client that continues has a better id.
      if (open.is_new) stream.send('ready', {}, open.last_id === undefined ? floorBefore(0) : undefined);
      open.is_new = false;
      const earlier = before.get(open) ?? [];
      const repeated = new Set(earlier.map(({ id }) => id));
      for (const row of [...earlier, ...rows.filter(({ id }) => !repeated.has(id))])
        stream.send(NAMES[follower.topic], row, row.id);
      if (isFull || earlier.length === EVENTS_PER_SECOND) stream.send('overflow', {});
    }
    if (isBeatDue(nowMs)) for (const { stream } of opens) stream.beat();
  }

  const polling = createPolling({
    poll,
    isListened: () => opens.size > 0,
    onError: (err) => app.log.debug({ err }, 'could not poll for events'),
  });

  return {
    poll,
    open(follower, last_id) {
      const own = openOf(({ account_id }) => account_id === follower.account_id);
      const isRefused =
        isClosed ||
        openOf(({ api_key_id }) => api_key_id === follower.api_key_id) >= STREAMS_OF_KEY ||
        (own >= STREAMS_OF_ACCOUNT && !makeRoomForLive(follower)) ||
        (opens.size >= A_PROCESS && !makeRoom(own));
      if (isRefused) throw new Failure('stream_limit_reached', { retry_after: RETRY_SECONDS });
      const open = { follower, stream: new EventStream(UNREAD_BYTES), last_id, is_new: true };
      const key = keyOf(follower);
      const group = groups.get(key);
      if (group) group.opens = [...group.opens, open];
      else {
        const { topic, account_id, is_test } = follower;
        groups.set(key, { topic, account_id, is_test, opens: [open], seen: new Map(), is_ready: false });
      }
      opens.add(open);
      open.stream.once('close', () => leave(open));
      open.stream.beat();
      polling.start();
      return open.stream;
    },
    close() {
      isClosed = true;
      polling.stop();
      for (const { stream } of opens) stream.end(reconnectMs(app.random));
    },
  };
}
