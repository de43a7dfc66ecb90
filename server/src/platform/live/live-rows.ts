import { Readable } from 'node:stream';
import { LIVE_HEARTBEAT_SECONDS, type LiveTopic } from '@sixdigit/contract/live.ts';
import { monotonicMs } from '../clock.ts';
import type { Sql } from '../db/sql.ts';
import { Failure } from '../http/failure.ts';
import type { UserCaller } from '../http/serve.ts';
import type { Needs } from '../platform.ts';
import { jitter } from '../security/random.ts';

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

/** The maximum numbers of streams in a process, for a member of an account and for all its members. */
const A_MEMBER = 5;
const AN_ACCOUNT = 50;
/**
 * The maximum number of streams in a process. When it is reached, a new stream replaces the oldest stream of the accounts with
 * the most streams, unless the new stream's account has equally many.
 */
const A_PROCESS = 1_000;
const POLL_MS = 1_000;
/** The shortest time between two events of an account. */
const QUIET_MS = 2_000;
const HEARTBEAT_MS = LIVE_HEARTBEAT_SECONDS * 1_000;
const RETRY_SECONDS = 60;
/** The time after which the client of a replaced stream reconnects. */
const RETURN_MS = RETRY_SECONDS * 1_000;
/** Clients of a stopping process reconnect after about this time, with jitter. */
const RECONNECT_MS = 2_500;

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
  let timer: NodeJS.Timeout | undefined;
  let beatMs = 0;
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
    oldest.stream.end(Math.round(RETURN_MS * jitter(random, 0.6)));
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
    if (nowMs - beatMs >= HEARTBEAT_MS - POLL_MS) {
      beatMs = nowMs;
      for (const stream of streams()) stream.beat();
    }
  }

  /** Pauses nine times as long as a poll took, so that polling uses at most a tenth of one connection's time. */
  function schedule(pauseMs: number): void {
    timer = setTimeout(() => {
      const startedMs = monotonicMs();
      poll()
        // The lists themselves show that the database is unavailable.
        .catch((err: unknown) => log.debug({ err }, 'could not poll for changed lists'))
        .finally(() => {
          timer = undefined;
          if (open > 0 && !isClosed) schedule(Math.max(POLL_MS, (monotonicMs() - startedMs) * 9));
        });
    }, pauseMs);
    timer.unref();
  }

  return {
    poll,
    open({ account_id, person_id, session_id }) {
      const before = accounts.get(account_id);
      const own = before?.streams.size ?? 0;
      const ofMember = [...(before?.streams.values() ?? [])].filter((one) => one.person_id === person_id);
      const isFull = ofMember.length >= A_MEMBER || own >= AN_ACCOUNT;
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
      if (!timer) schedule(POLL_MS);
      return stream;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const stream of streams()) stream.end(Math.round(RECONNECT_MS * jitter(random, 0.6)));
    },
  };
}

/** A client with this much unread data is disconnected. It reloads its lists when it reconnects. */
const UNREAD_BYTES = 64 * 1024;

/** Server-sent events, written as they happen. */
export class EventStream extends Readable {
  #unread = 0;
  #isEnded = false;

  constructor() {
    super({ encoding: 'utf8' });
  }

  override _read(): void {
    this.#unread = 0;
  }

  /** An event with a name and data. */
  send(event: string, data: object): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
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
    if (this.#unread > UNREAD_BYTES) this.destroy();
    else this.push(text);
  }
}
