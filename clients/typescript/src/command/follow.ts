import { type StreamedEvent, streamedEvents } from './event-stream.ts';
import type { Access } from './settings.ts';

interface Following {
  access: Access;
  isJson: boolean;
  signal: AbortSignal;
}

/** Prints the requests of the account as they happen, one line each. */
export async function followLogs({ access, isJson, signal }: Following): Promise<void> {
  for await (const data of rows(access, 'request', signal, 'Following the requests.'))
    write(isJson ? JSON.stringify(data) : requestLine(data));
}

/** The rows of a stream. Everything else that happens to it is noted. */
async function* rows(access: Access, row: 'request' | 'webhook', signal: AbortSignal, beginning: string) {
  const stream = streamedEvents(access, { topic: `${row}s`, signal, onInterruption: note });
  for await (const { event, data } of stream) {
    if (event === 'ready') note(`${beginning} Press Ctrl-C to stop.`);
    else if (event === 'overflow') note('There were too many events at once: some are missing.');
    else if (event === row) yield data;
  }
}

interface Forwarding extends Following {
  /** the local address */
  target: string;
  /** the id of an endpoint whose messages alone are forwarded */
  webhook: string | undefined;
}

/**
 * Forwards webhook messages to an address, with the headers and the body that the service has signed, and prints each response.
 * A message waits until the one before it has a response.
 */
export async function forwardWebhooks({
  access,
  isJson,
  signal,
  target,
  webhook,
}: Forwarding): Promise<void> {
  for await (const data of rows(access, 'webhook', signal, `Forwarding webhooks to ${target}.`)) {
    const message = data as unknown as Message;
    if (webhook !== undefined && message.webhook.id !== webhook) continue;
    const outcome = await forwarded(message, target, signal);
    if (signal.aborted) return;
    write(isJson ? JSON.stringify({ ...fieldsOf(message), ...outcome }) : messageLine(message, outcome));
  }
}

interface Message {
  id: string;
  webhook: { id: string; name: string };
  type: string;
  headers: Record<string, string>;
  body: string;
}

interface Outcome {
  /** null without a response */
  status: number | null;
  ms: number;
  error?: string;
}

/** As long as the service waits for a response. */
const TIMEOUT_MS = 15_000;

async function forwarded({ headers, body }: Message, target: string, signal: AbortSignal): Promise<Outcome> {
  const begunMs = performance.now();
  const ms = () => Math.round(performance.now() - begunMs);
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    return { status: response.status, ms: ms() };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    return { status: null, ms: ms(), error: isLate ? 'no response' : 'connection failed' };
  }
}

const fieldsOf = ({ id, webhook, type }: Message) => ({ id, webhook, type });

const messageLine = ({ type, id, webhook }: Message, { status, ms, error }: Outcome): string =>
  columns(time(new Date()), type, id, webhook.name, `→ ${status ?? error}`, `${ms} ms`);

function requestLine(data: StreamedEvent['data']): string {
  const { created_at, response_status_code, method, endpoint, otp, reason, response_time_ms, count } = data;
  const [refused] = (data.refused_fields ?? []) as { field: string; message: string }[];
  const { channel, recipient } = (otp ?? {}) as { channel?: string; recipient?: string };
  return columns(
    time(new Date(String(created_at))),
    response_status_code,
    `${method} ${endpoint}`,
    channel ?? '-',
    recipient ?? '-',
    refused ? `${reason}: ${refused.field}: ${refused.message}` : (reason ?? '-'),
    `${response_time_ms} ms`,
    ...(Number(count) > 1 ? [`×${count}`] : []),
  );
}

const time = (at: Date): string => at.toTimeString().slice(0, 8);

/** Control characters could change what a terminal shows. */
const columns = (...cells: unknown[]): string =>
  cells.map((cell) => String(cell).replace(/[\p{Cc}\p{Cf}]/gu, '?')).join('  ');

const write = (text: string): void => void process.stdout.write(`${text}\n`);
const note = (text: string): void => void process.stderr.write(`${text}\n`);
