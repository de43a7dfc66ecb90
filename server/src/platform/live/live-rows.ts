import { Readable } from 'node:stream';
import type { LiveTopic } from '@sixdigit/contract/live.ts';
import { monotonicMs } from '../clock.ts';
import type { Sql } from '../db/sql.ts';
import { Failure } from '../http/failure.ts';
import type { UserCaller } from '../http/serve.ts';
import type { Needs } from '../platform.ts';
import { createHeartbeat, createPolling, RETRY_SECONDS, reconnectMs, returnMs } from './polling.ts';

/** Reads the state of one list for each account, as a text that changes whenever the list's newest rows change. */
export type StateOf = (
  sql: Sql,
  account_ids: readonly string[],
) => Promise<{ account_id: string; state: string | null }[]>;

interface Watcher {
  session_id: string;
  account_id: string;
}

interface Sources {
  states: Readonly<Record<LiveTopic, StateOf>>;
  /** returns those of these sessions that are open and whose person is still a member of the account */
  openSessions: (sql: Sql, asked: readonly Watcher[]) => Promise<Watcher[]>;
}

export interface LiveRows {
  /** Throws `live_limit_reached`. */
  open(caller: UserCaller): EventStream;
  /** Polls the database once and sends the changes. It runs once a second while there are listeners. */
  poll(): Promise<void>;
  /** Ends all streams when the process stops. */
  close(): void;
}

/**
 * The maximum numbers of streams in a process, for a member of an account and for all its members. When an account has that many,
 * a new stream replaces the oldest one of the members with the most, unless its own member has equally many.
 */
const A_MEMBER = 5;
const AN_ACCOUNT = 50;
/**
 * The maximum number of streams in a process. When it is reached, a new stream replaces the oldest stream of the accounts with
 * the most streams, unless the new stream's account has equally many.
 */
const A_PROCESS = 1_000;
/** The shortest time between two events of an account. */
const QUIET_MS = 2_000;

interface Listener {
  session_id: string;
  person_id: string;
  /** the stream's sequence number in this process */
  number: number;
  /** the stream has not sent `ready` yet */
  is_new: boolean;
}

interface Listening {
  streams: Map<EventStream, Listener>;
  /** the state that the last event described; undefined before the first poll */
  seen: Map<LiveTopic, string | null> | undefined;
  changed: Set<LiveTopic>;
  toldMs: number;
}

const keyOf = ({ session_id, account_id }: Watcher): string => `${session_id} ${account_id}`;

export function createLiveRows(
  { db, log, random }: Needs<'db' | 'log' | 'random'>,
  { states, openSessions }: Sources,
): LiveRows {
  const accounts = new Map<string, Listening>();
  let open = 0;
  let opened = 0;
  const isBeatDue = createHeartbeat();
  let isClosed = false;

  const leave = (account_id: string, stream: EventStream): void => {
    const listening = accounts.get(account_id);
    if (!listening?.streams.delete(stream)) return;
    open -= 1;
    if (listening.streams.size === 0) accounts.delete(account_id);
  };
  const streams = (): EventStream[] => [...accounts.values()].flatMap((one) => [...one.streams.keys()]);

  /** Finds the accounts with the most streams and, if they have more than `own`, closes the oldest of those streams. */
  function makeRoom(own: number): boolean {
    const most = Math.max(...[...accounts.values()].map((listening) => listening.streams.size));
    if (most <= own) return false;
    const [oldest] = [...accounts]
      .filter(([, listening]) => listening.streams.size === most)
      .flatMap(([account_id, listening]) =>
        [...listening.streams].slice(0, 1).map(([stream, { number }]) => ({ account_id, stream, number })),
      )
      .sort((a, b) => a.number - b.number);
    if (!oldest) return false;
    leave(oldest.account_id, oldest.stream);
    oldest.stream.end(returnMs(random));
    return true;
  }

  /** Like `makeRoom`, among the members of an account: no member's tabs keep out another. */
  function makeRoomInAccount(account_id: string, { streams }: Listening, own: number): boolean {
    const counts = new Map<string, number>();
    for (const { person_id } of streams.values()) counts.set(person_id, (counts.get(person_id) ?? 0) + 1);
    const most = Math.max(...counts.values());
    // A map is in the order of its additions.
    const oldest = [...streams].find(([, { person_id }]) => counts.get(person_id) === most);
    if (most <= own || !oldest) return false;
    const [stream] = oldest;
    leave(account_id, stream);
    stream.end(returnMs(random));
    return true;
  }

  async function readStates(): Promise<void> {
    const ids = [...accounts.keys()];
    for (const [topic, stateOf] of Object.entries(states) as [LiveTopic, StateOf][]) {
      const found = new Map((await stateOf(db, ids)).map(({ account_id, state }) => [account_id, state]));
      for (const id of ids) {
        const listening = accounts.get(id);
        if (!listening) continue;
        const state = found.get(id) ?? null;
        listening.seen ??= new Map();
        if (listening.seen.has(topic) && listening.seen.get(topic) !== state) listening.changed.add(topic);
        listening.seen.set(topic, state);
      }
    }
  }

  function tell(nowMs: number): void {
    for (const listening of accounts.values()) {
      for (const [stream, listener] of listening.streams) {
        // A stream is ready only after the first poll, because earlier changes would go unnoticed.
        if (!listener.is_new || !listening.seen) continue;
        listener.is_new = false;
        stream.send('ready', {});
      }
      if (listening.changed.size === 0 || nowMs - listening.toldMs < QUIET_MS) continue;
      const topics = [...listening.changed];
      listening.changed.clear();
      listening.toldMs = nowMs;
      for (const stream of listening.streams.keys()) stream.send('changed', { topics });
    }
  }

  async function endSessions(): Promise<void> {
    // Other streams may open during the query.
    const asked = [...accounts].flatMap(([account_id, listening]) =>
      [...listening.streams].map(([stream, { session_id }]) => ({ stream, session_id, account_id })),
    );
    const watchers = new Map(
      asked.map(({ session_id, account_id }) => {
        const watcher = { session_id, account_id };
        return [keyOf(watcher), watcher];
      }),
    );
    const lasting = new Set((await openSessions(db, [...watchers.values()])).map(keyOf));
    for (const { stream, ...watcher } of asked) if (!lasting.has(keyOf(watcher))) stream.end(0);
  }

  async function poll(): Promise<void> {
    if (open === 0) return;
    const nowMs = monotonicMs();
    await readStates();
    tell(nowMs);
    await endSessions();
    if (isBeatDue(nowMs)) for (const stream of streams()) stream.beat();
  }

  const polling = createPolling({
    poll,
    isListened: () => open > 0,
    // The lists themselves show that the database is unavailable.
    onError: (err) => log.debug({ err }, 'could not poll for changed lists'),
  });

  return {
    poll,
    open({ account_id, person_id, session_id }) {
      const before = accounts.get(account_id);
      const own = before?.streams.size ?? 0;
      const ofMember = [...(before?.streams.values() ?? [])].filter((one) => one.person_id === person_id);
      const isFull =
        ofMember.length >= A_MEMBER ||
        (before !== undefined &&
          own >= AN_ACCOUNT &&
          !makeRoomInAccount(account_id, before, ofMember.length));
      if (isClosed || isFull || (open >= A_PROCESS && !makeRoom(own)))
        throw new Failure('live_limit_reached', { retry_after: RETRY_SECONDS });
      const stream = new EventStream();
      const listening = before ?? {
        streams: new Map<EventStream, Listener>(),
        seen: undefined,
        changed: new Set<LiveTopic>(),
        toldMs: 0,
      };
      listening.streams.set(stream, { session_id, person_id, number: ++opened, is_new: true });
      accounts.set(account_id, listening);
      open += 1;
      stream.once('close', () => leave(account_id, stream));
      stream.beat();
      polling.start();
      return stream;
    },
    close() {
      isClosed = true;
      polling.stop();
      for (const stream of streams()) stream.end(reconnectMs(random));
    },
  };
}

export const STREAM_HEADERS = {
  // Makes nginx forward each event immediately, and keeps proxies from compressing the stream.
  'X-Accel-Buffering': 'no',
  'Cache-Control': 'no-store, no-transform',
  // A connection that stays open after its stream would delay a shutdown.
  Connection: 'close',
};

/** A client with this much unread data is disconnected. It reloads its lists when it reconnects. */
const UNREAD_BYTES = 64 * 1024;

/** Server-sent events, written as they happen. */
export class EventStream extends Readable {
  #unread = 0;
  #isEnded = false;
  readonly #most: number;

  constructor(unreadBytes = UNREAD_BYTES) {
    super({ encoding: 'utf8' });
    this.#most = unreadBytes;
  }

  override _read(): void {
    this.#unread = 0;
  }

  /** An event with a name and data. With an id, the client names it when it reconnects. */
  send(event: string, data: object, id?: string): void {
    const named = id === undefined ? '' : `id: ${id}\n`;
    this.#write(`event: ${event}\n${named}data: ${JSON.stringify(data)}\n\n`);
  }

  /** Keeps proxies from closing an idle connection. */
  beat(): void {
    this.#write(': \n\n');
  }

  /** The client reconnects after this time. */
  end(reconnectMs: number): void {
    if (this.destroyed || this.#isEnded) return;
    this.#write(`retry: ${reconnectMs}\n\n`);
    this.#isEnded = true;
    this.push(null);
  }

  #write(text: string): void {
    if (this.destroyed || this.#isEnded) return;
    this.#unread += text.length;
    if (this.#unread > this.#most) this.destroy();
    else this.push(text);
  }
}
