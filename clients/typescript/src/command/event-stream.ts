import { setTimeout as sleep } from 'node:timers/promises';
import { errorOf, SixdigitError } from '../error.ts';
import type { Access } from './settings.ts';

export interface StreamedEvent {
  event: string;
  data: Record<string, unknown>;
}

interface Options {
  topic: 'requests' | 'webhooks';
  /** ends the stream */
  signal: AbortSignal;
  /** the connection was lost and is opened again */
  onInterruption: (sentence: string) => void;
}

/** The service sends a comment every 15 seconds. */
const SILENCE_MS = 40_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const KNOWN_MOST = 5_000;

/**
 * The events of a topic, each once. An interrupted stream is opened again and continues after its last event. Throws a
 * `SixdigitError` if the service refuses it, or cannot be reached at the beginning.
 */
export async function* streamedEvents(access: Access, options: Options): AsyncGenerator<StreamedEvent> {
  const known = new Set<string>();
  let first: string | undefined;
  let last: string | undefined;
  let isBegun = false;
  let failures = 0;
  while (!options.signal.aborted) {
    let retryMs: number | undefined;
    try {
      for await (const { id, retry, event, data } of connection(access, options, last)) {
        failures = 0;
        retryMs = retry ?? retryMs;
        if (event === undefined) continue;
        // The service repeats rows from shortly before, also those from before the beginning.
        if (id !== undefined && (known.has(id) || (first !== undefined && id < first))) continue;
        if (id !== undefined) {
          last = id;
          known.add(id);
          const [oldest] = known;
          if (known.size > KNOWN_MOST && oldest !== undefined) known.delete(oldest);
        }
        // Its beginning is news only once.
        if (event === 'ready' && isBegun) continue;
        if (event === 'ready') first = id;
        isBegun = true;
        yield { event, data };
      }
    } catch (error) {
      if (options.signal.aborted) return;
      if (!(error instanceof SixdigitError) || !isBegun || !isTemporary(error)) throw error;
      retryMs = error.retryAfter === undefined ? undefined : error.retryAfter * 1_000;
    }
    if (options.signal.aborted) return;
    const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
    failures += 1;
    options.onInterruption('The stream was interrupted. Connecting again …');
    await sleep(retryMs ?? backoffMs, undefined, { signal: options.signal }).catch(() => undefined);
  }
}

const isTemporary = ({ status }: SixdigitError): boolean => status === 0 || status === 429 || status >= 500;

interface Line {
  id?: string | undefined;
  retry?: number | undefined;
  event?: string | undefined;
  data: Record<string, unknown>;
}

/** The events of one connection. Ends with the connection. */
async function* connection(
  { url, api_key }: Access,
  { topic, signal }: Options,
  last: string | undefined,
): AsyncGenerator<Line> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  signal.addEventListener('abort', abort, { once: true });
  let timer = setTimeout(abort, SILENCE_MS);
  try {
    const response = await fetch(`${url}/events/?topic=${topic}`, {
      headers: {
        accept: 'text/event-stream',
        'x-api-key': api_key,
        ...(last === undefined ? {} : { 'last-event-id': last }),
      },
      redirect: 'manual',
      signal: controller.signal,
    });
    const { status, headers, body } = response;
    const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (status !== 200 || !isStream || !body) throw errorOf({ status, headers, text: await response.text() });
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      clearTimeout(timer);
      timer = setTimeout(abort, SILENCE_MS);
      rest += decoder.decode(chunk, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield parsed(block);
    }
  } catch (cause) {
    if (cause instanceof SixdigitError) throw cause;
    throw new SixdigitError('connection_failed', `The connection to ${url} failed`, { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    controller.abort();
  }
}

function parsed(block: string): Line {
  const line: Line = { data: {} };
  for (const text of block.split('\n')) {
    const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(text) ?? [];
    if (field === 'id') line.id = value;
    else if (field === 'event') line.event = value;
    else if (field === 'retry') line.retry = Number(value);
    else if (field === 'data') line.data = JSON.parse(value);
  }
  return line;
}
