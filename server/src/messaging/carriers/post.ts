import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Clock } from '../../platform/clock.ts';
import { retryAfterSeconds } from '../../platform/http/failure.ts';
import { hostOf, isPublicHost, isPublicUnicast } from '../../platform/outbound/address.ts';
import { ConnectionFailure, publicLookup, type Resolve } from '../../platform/outbound/connect.ts';
import {
  type Carrier,
  dispatchTimeoutMs,
  type Feedback,
  type Message,
  type Outcome,
  type Refused,
  type RightCode,
  type Uncertain,
  withWords,
} from './carrier.ts';
import { refusal, setupFault } from './faults.ts';

/**
 * Sends one POST. Unlike `fetch`, it distinguishes a connection timeout from a response timeout. If the request was never
 * written, the worker tries the next carrier; if it may have arrived, the worker waits for a delivery report.
 */
export type Answer =
  | ({ kind: 'answered' } & Response)
  /** Nothing was written, so the carrier did not accept the message. */
  | { kind: 'unreached'; why: Unreached }
  /** The request was written but no response came, so the carrier may have accepted the message. */
  | { kind: 'unanswered'; why: 'timeout' | 'canceled' | 'reset' };

type Unreached = 'refused' | 'unresolved' | 'untrusted' | 'blocked' | 'timeout' | 'canceled' | 'broken';

interface Response {
  status: number;
  text: string;
  headers: IncomingHttpHeaders;
}

export interface Post {
  /** POST unless given */
  method?: string;
  url: URL;
  headers: Record<string, string>;
  body: string;
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

export interface Poster {
  post(request: Post): Promise<Answer>;
  close(): void;
}

const answerLimitBytes = 64 * 1024;

/** The addresses that a carrier of the console may have. Those of the environment may have any. */
export interface Reach {
  allowPrivate: boolean;
  resolve?: Resolve | undefined;
}

/** Closes idle connections after four seconds, because Node servers close them after five by default. */
export function createPoster({ allowPrivate, resolve }: Reach = { allowPrivate: true }): Poster {
  const idle = {
    keepAlive: true,
    timeout: 4_000,
    maxSockets: 64,
    ...(allowPrivate ? {} : { lookup: publicLookup(resolve) }),
  };
  const plain = new HttpAgent(idle);
  const secure = new HttpsAgent(idle);
  return {
    async post(request) {
      const host = hostOf(request.url);
      if (!allowPrivate && isIP(host) !== 0 && !isPublicUnicast(host))
        return { kind: 'unreached', why: 'blocked' };
      try {
        return await post(request, request.url.protocol === 'https:' ? secure : plain);
      } catch {
        // Node refuses to send headers with certain characters.
        return { kind: 'unreached', why: 'broken' };
      }
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

function post(request: Post, agent: HttpAgent): Promise<Answer> {
  const { method = 'POST', url, headers, body, signal, timeoutMs = dispatchTimeoutMs } = request;
  const { promise, resolve } = Promise.withResolvers<Answer>();
  if (signal?.aborted) return Promise.resolve({ kind: 'unreached', why: 'canceled' });
  const isSecure = url.protocol === 'https:';
  const deadline = AbortSignal.timeout(timeoutMs);

  let isWritten = false;
  let answer: Response | undefined;
  const outgoing = (isSecure ? httpsRequest : httpRequest)(url, {
    method,
    agent,
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
  });
  outgoing.on('socket', (socket) => {
    // A request that waited for one of the pool's sockets gets a connected one, and Node does not call it reused.
    if (!isConnecting(socket)) isWritten = true;
    else
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        isWritten = true;
      });
  });
  outgoing.on('response', (incoming) => {
    const head = { status: incoming.statusCode ?? 0, text: '', headers: incoming.headers };
    answer = head;
    void readText(incoming, (text) => {
      answer = { ...head, text };
    }).finally(() => resolve({ kind: 'answered', ...(answer ?? head) }));
  });
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    // A status line alone counts as a response, even if the body never arrives.
    if (answer) return resolve({ kind: 'answered', ...answer });
    const stopped = deadline.aborted ? 'timeout' : signal?.aborted ? 'canceled' : undefined;
    if (isWritten) resolve({ kind: 'unanswered', why: stopped ?? 'reset' });
    else resolve({ kind: 'unreached', why: stopped ?? cause(error) });
  });
  outgoing.end(body);
  return promise;
}

/** Including the TLS handshake. */
const isConnecting = (socket: Socket & { secureConnecting?: boolean }): boolean =>
  socket.connecting || socket.secureConnecting === true;

async function readText(incoming: IncomingMessage, keep: (text: string) => void): Promise<void> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > answerLimitBytes) break;
    }
    keep(Buffer.concat(chunks).toString('utf8'));
  } catch {
    keep('');
  }
}

function cause(error: NodeJS.ErrnoException): Exclude<Unreached, 'canceled'> {
  if (error instanceof ConnectionFailure)
    return error.reason === 'blocked_address' ? 'blocked' : 'unresolved';
  const code = error.code ?? '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unresolved';
  if (code === 'ETIMEDOUT') return 'timeout';
  if (/CERT|SIGNATURE|SSL|TLS|ISSUER/.test(code)) return 'untrusted';
  return /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/.test(code) ? 'refused' : 'broken';
}

const unreached = {
  refused: ['carrier_unreachable', 'refused the connection'],
  unresolved: ['carrier_unreachable', 'could not be found: its host name does not resolve'],
  untrusted: ['carrier_untrusted', 'could not be trusted: its TLS certificate is not valid'],
  blocked: [
    'carrier_blocked',
    'has an address inside this network, which carriers of the console may not use',
  ],
  timeout: ['carrier_unreachable', 'did not accept a connection in time'],
  canceled: ['canceled', 'was not called: the dispatch was canceled'],
  broken: ['carrier_unreachable', 'closed the connection before the message was sent'],
} as const;

const unanswered = {
  timeout: ['carrier_timeout', 'did not respond in time and may have accepted the message'],
  canceled: ['canceled', 'may have accepted the message: the dispatch was canceled'],
  reset: ['carrier_reset', 'closed the connection and may have accepted the message'],
} as const;

interface PostingCarrier {
  name: string;
  /** its name in sentences */
  label: string;
  channels: readonly Channel[];
  clock: Pick<Clock, 'now'>;
  reach?: Reach | undefined;
  timeoutMs?: number | undefined;
  /** Undefined if the carrier's settings do not suffice for the message. */
  request(message: Message): Pick<Post, 'method' | 'url' | 'headers' | 'body'> | undefined;
  outcome(status: number, text: string, message: Message, headers: IncomingHttpHeaders): Outcome;
  senderFor?: Carrier['senderFor'];
  /** The carrier's own words in a response, unless they are all of it. */
  words?(text: string): unknown;
  feedback?: PostedFeedback | undefined;
}

interface PostedFeedback extends Pick<Feedback, 'needsCode'> {
  /** all of the carrier unless given */
  channels?: readonly Channel[];
  request(right: RightCode): Pick<Post, 'method' | 'url' | 'headers' | 'body'> | undefined;
  outcome(status: number, text: string, right: RightCode, headers: IncomingHttpHeaders): Outcome;
}

const FEEDBACK_MS = 5_000;

/** A carrier that accepts each message in one POST, with the same idempotency key if it is repeated. */
export function postingCarrier({ name, channels, reach, ...kind }: PostingCarrier): Carrier {
  const { label, clock, timeoutMs } = kind;
  const poster = createPoster(reach);
  const feedback = kind.feedback && postedFeedback(kind.feedback, { channels, label, reach });
  return {
    name,
    channels,
    ...(kind.senderFor && { senderFor: kind.senderFor }),
    feedback,
    async dispatch(message, signal) {
      const request = kind.request(message);
      if (!request) return refusal(setupFault(`${label} is not set up completely`));
      const headers = { ...request.headers, 'idempotency-key': `otp:${message.id}` };
      const answer = await poster.post({ ...request, headers, signal, timeoutMs });
      if (answer.kind !== 'answered') return withoutAnswer(label, answer);
      const { status, text, headers: answered } = answer;
      const outcome = kind.outcome(status, text, message, answered);
      const found = withPause(outcome, answered['retry-after'], clock.now());
      return message.is_test ? withWords(found, message, kind.words?.(text) ?? text) : found;
    },
    async close() {
      poster.close();
      feedback?.close();
    },
  };
}

/** With connections of its own, so that a company which does not respond to it delays no message. */
function postedFeedback(
  { channels, needsCode, request, outcome }: PostedFeedback,
  carrier: Pick<PostingCarrier, 'channels' | 'label' | 'reach'>,
): Feedback & Pick<Poster, 'close'> {
  const poster = createPoster(carrier.reach);
  return {
    channels: channels ?? carrier.channels,
    needsCode,
    async give(right) {
      const made = request(right);
      if (!made) return refusal(setupFault(`${carrier.label} is not set up completely`));
      const answer = await poster.post({ ...made, timeoutMs: FEEDBACK_MS });
      return answer.kind === 'answered'
        ? outcome(answer.status, answer.text, right, answer.headers)
        : withoutAnswer(carrier.label, answer);
    },
    close: poster.close,
  };
}

/**
 * The delivery report URL for a carrier. Twilio, for example, refuses a message whose StatusCallback is not public (21609), so a
 * private URL is omitted, unless the carrier itself is on a private network.
 */
export function reportAddress(statusUrl: string | undefined, apiUrl: string): string | undefined {
  if (statusUrl === undefined || !URL.canParse(statusUrl)) return undefined;
  return isPublicHost(new URL(statusUrl)) || !isPublicHost(new URL(apiUrl)) ? statusUrl : undefined;
}

/** The JSON object in a response; undefined if there is none. */
export function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export const asObject = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;

/**
 * A success response that does not follow the protocol: the carrier, or a proxy in front of it, may have accepted the message.
 */
export const unreadable = (name: string, status: number): Uncertain => ({
  kind: 'uncertain',
  reason: 'unreadable_response',
  detail: `${name} responded with HTTP ${status}, but not as its protocol promises.`,
});

/** Adds the carrier's Retry-After to a refusal. */
function withPause(outcome: Outcome, retryAfter: string | undefined, now: Date): Outcome {
  if (outcome.kind !== 'refused' || !outcome.temporary || retryAfter === undefined) return outcome;
  const seconds = retryAfterSeconds(retryAfter, now);
  return seconds === undefined || seconds <= 0 ? outcome : { ...outcome, retry_after_seconds: seconds };
}

/** The outcome of a request without a response. `name` is the carrier's display name. */
export function withoutAnswer(
  name: string,
  answer: Exclude<Answer, { kind: 'answered' }>,
): Refused | Uncertain {
  if (answer.kind === 'unanswered') {
    const [reason, what] = unanswered[answer.why];
    return { kind: 'uncertain', reason, detail: `${name} ${what}.` };
  }
  const [reason, what] = unreached[answer.why];
  const refused: Refused = { kind: 'refused', reason, detail: `${name} ${what}.`, temporary: true };
  return answer.why === 'canceled' ? refused : { ...refused, rest: true };
}
