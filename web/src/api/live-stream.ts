import { LIVE_HEARTBEAT_SECONDS, LIVE_TOPICS, type LiveTopic, openLive } from '@sixdigit/contract/live.ts';
import { openStream } from './call.ts';
import { elapsedMs } from './clock.ts';
import { liveState, noteChange } from './live.ts';
import { checkMembership } from './queries.ts';
import { isSignedIn } from './session.ts';
import { ApiError } from './wire.ts';

/** Two missed heartbeats mean that a proxy has dropped the connection silently. */
const SILENT_MS = (2 * LIVE_HEARTBEAT_SECONDS + 5) * 1_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** The delay after the server refused a connection because there were too many. */
const REFUSED_PAUSE_MS = 60_000;

/**
 * Holds the tab's one connection, only while the tab is visible, because browsers open only six to a host over HTTP/1.1. After
 * a reconnect, all lists are refetched. Returns a function that closes the connection.
 */
export function startLiveStream(): () => void {
  const ending = new AbortController();
  void keepOpen(ending.signal);
  return () => ending.abort();
}

async function keepOpen(ended: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (!ended.aborted) {
    await visible(ended);
    // The screen can briefly outlive the session. `visible` also returns when the connection is ended while the tab is hidden.
    if (ended.aborted || !isSignedIn()) return;
    const begun = elapsedMs();
    const wanted = await follow(ended).catch((cause: unknown) => {
      if (!(cause instanceof ApiError)) return undefined;
      if (cause.status === 400 || cause.status === 404) checkMembership();
      // On 401, the session has ended: the screen's own calls lead to the sign-in.
      return [400, 401, 404, 429].includes(cause.status) ? REFUSED_PAUSE_MS : undefined;
    });
    if (ended.aborted) return;
    liveState.set('polling');
    // A connection that lasted resets the backoff.
    if (elapsedMs() - begun > LONGEST_PAUSE_MS) pauseMs = FIRST_PAUSE_MS;
    if (document.visibilityState === 'visible') await pause(wanted ?? pauseMs, ended);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/** Reads one stream to its end. Returns the retry delay that the server asked for. */
async function follow(ended: AbortSignal): Promise<number | undefined> {
  const closing = new AbortController();
  const close = (): void => closing.abort();
  const hide = (): void => {
    if (document.visibilityState === 'hidden') close();
  };
  let silence = setTimeout(close, SILENT_MS);
  ended.addEventListener('abort', close, { once: true });
  document.addEventListener('visibilitychange', hide);
  try {
    const body = await openStream(openLive, { signal: closing.signal });
    let retryMs: number | undefined;
    for await (const { event, data, retry } of eventsOf(body)) {
      clearTimeout(silence);
      silence = setTimeout(close, SILENT_MS);
      retryMs = retry ?? retryMs;
      if (event === 'ready') {
        liveState.set('live');
        noteChange(LIVE_TOPICS);
      }
      if (event === 'changed') noteChange(topicsOf(data));
    }
    return retryMs;
  } finally {
    clearTimeout(silence);
    ended.removeEventListener('abort', close);
    document.removeEventListener('visibilitychange', hide);
  }
}

function topicsOf(data: string): LiveTopic[] {
  const { topics } = JSON.parse(data) as { topics: string[] };
  return LIVE_TOPICS.filter((topic) => topics.includes(topic));
}

const visible = (ended: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (document.visibilityState === 'hidden' && !ended.aborted) return;
      document.removeEventListener('visibilitychange', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    ended.addEventListener('abort', check, { once: true });
    check();
  });

/** Ends early when the browser is online again. */
const pause = (ms: number, ended: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      ended.removeEventListener('abort', end);
      resolve();
    };
    // jittered, because all clients of a process lose their connections at once
    const timer = setTimeout(end, ms * (0.75 + Math.random() / 2));
    window.addEventListener('online', end);
    ended.addEventListener('abort', end, { once: true });
  });

/** One server-sent event; a comment has neither name nor data. */
interface ServerEvent {
  event: string;
  data: string;
  /** milliseconds */
  retry?: number;
}

/** Reads server-sent events (HTML standard, 9.2.6). `EventSource` could not send the session's token. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + decoder.decode(value, { stream: true })).replaceAll('\r\n', '\n').split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield eventOf(block);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(block: string): ServerEvent {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const all = (name: string): string[] =>
    fields.flatMap((field) => (field?.[1] === name ? [field[2] ?? ''] : []));
  const retry = Number(all('retry')[0]);
  return {
    event: all('event').at(-1) ?? 'message',
    data: all('data').join('\n'),
    ...(all('retry').length > 0 && Number.isInteger(retry) ? { retry } : {}),
  };
}
