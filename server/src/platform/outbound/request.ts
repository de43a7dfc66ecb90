/**
 * The only way to call a URL that a customer provided. `outboundPost` never throws, follows no redirect, always ends within its
 * timeout, and reads at most `maxBytes`.
 */

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { monotonicMs } from '../clock.ts';
import { readTarget } from './address.ts';
import {
  ConnectionFailure,
  codeOf,
  connectPublic,
  type Reason,
  type Resolve,
  timeLimit,
  tlsDetail,
} from './connect.ts';

export interface OutboundPost {
  url: string;
  /** Host, Content-Length, Connection and Accept-Encoding are set here. */
  headers: Record<string, string>;
  body: string | Buffer;
  /** Permits http:// and every address: for development only. */
  allowPrivate: boolean;
  /** Timeout of the whole call, including name resolution and the response. */
  timeoutMs?: number;
  /** Timeout of TCP and TLS, after the name is resolved. */
  connectTimeoutMs?: number;
  maxBytes?: number;
  resolve?: Resolve;
}

export interface Answer {
  kind: 'answer';
  status: number;
  headers: { 'retry-after'?: string };
  /** The first 4 KiB of the body as valid UTF-8 without NUL. A word or number that would be cut off is omitted. */
  excerpt: string;
  ms: number;
}

export interface Failed {
  kind: 'failed';
  reason: Reason;
  /** A sentence for the customer. */
  detail: string;
  ms: number;
}

const excerptBytes = 4096;
const MOST_HEADER_BYTES = 128 * 1024;

/**
 * Every status counts as a response, including redirects. A body is read up to `maxBytes`. Once the status is known, it counts
 * even if the rest of the response is broken, late or missing.
 */
export async function outboundPost(post: OutboundPost): Promise<Answer | Failed> {
  const startedMs = monotonicMs();
  const elapsedMs = () => Math.round(monotonicMs() - startedMs);
  try {
    const answer = await callTarget(post);
    return { kind: 'answer', ...answer, ms: elapsedMs() };
  } catch (error) {
    const { reason, message: detail } = error instanceof ConnectionFailure ? error : obstacleOf(error);
    return { kind: 'failed', reason, detail, ms: elapsedMs() };
  }
}

async function callTarget(post: OutboundPost): Promise<Omit<Answer, 'kind' | 'ms'>> {
  const { allowPrivate, timeoutMs = 15_000, connectTimeoutMs = 5_000, resolve } = post;
  const target = readTarget(post.url, { allowPrivate });
  if ('problem' in target) throw new ConnectionFailure(target.refused, target.problem);

  using limit = timeLimit(timeoutMs, `No complete response arrived within ${timeoutMs / 1000} s.`);
  const deadline = limit.signal;
  const socket = await connectPublic(target.url, { allowPrivate, connectTimeoutMs, resolve, deadline });
  try {
    return await exchange(socket, target.url, post, deadline);
  } catch (error) {
    throw deadline.aborted ? deadline.reason : error;
  } finally {
    socket.destroy();
  }
}

async function exchange(socket: Socket, url: URL, post: OutboundPost, deadline: AbortSignal) {
  const clearStatus = watchStatus(socket);
  const chunks: Buffer[] = [];
  let response: IncomingMessage | undefined;
  try {
    response = await headOf(socket, url, post, deadline);
    if (response.statusCode !== 101) await readUpTo(post.maxBytes ?? 65_536, response, chunks);
  } catch (error) {
    if ((response?.statusCode ?? clearStatus()) === undefined) throw error;
  }
  const body = Buffer.concat(chunks);
  const retryAfter = response?.headers['retry-after'];
  return {
    status: response?.statusCode ?? clearStatus() ?? 0,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    excerpt:
      body.length > excerptBytes ? withoutCutWord(textOf(body.subarray(0, excerptBytes))) : textOf(body),
  };
}

async function headOf(
  socket: Socket,
  url: URL,
  post: OutboundPost,
  deadline: AbortSignal,
): Promise<IncomingMessage> {
  const request = httpRequest({
    createConnection: () => socket,
    method: 'POST',
    path: url.pathname + url.search,
    headers: {
      ...post.headers,
      host: url.host,
      'content-length': Buffer.byteLength(post.body),
      'accept-encoding': 'identity',
      connection: 'close',
    },
    // The connection carries only one response, so a lenient parser cannot confuse it with another.
    insecureHTTPParser: true,
    maxHeaderSize: MOST_HEADER_BYTES,
    signal: deadline,
  });
  request.on('error', () => {});
  request.end(post.body);
  const [response] = (await Promise.race([
    once(request, 'response', { signal: deadline }),
    once(request, 'upgrade', { signal: deadline }),
  ])) as [IncomingMessage];
  return response;
}

async function readUpTo(maxBytes: number, response: IncomingMessage, chunks: Buffer[]): Promise<void> {
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
}

/** Streaming mode drops a character that is truncated at the end. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '');
}

/** Longer than any e-mail address or phone number. */
const WORD_MOST = 320;

/** Removes a word or number that was cut off at the end, because an erasure finds only whole addresses and numbers. */
function withoutCutWord(text: string): string {
  const from = Math.max(0, text.length - WORD_MOST);
  const word = text.slice(from).search(/[\s"'<>(),;:{}[\]][^\s"'<>(),;:{}[\]]*$/);
  return word < 0 ? text : text.slice(0, from + word).replace(/[\d\s().+/-]{1,40}$/, '');
}

export function obstacleOf(error: unknown): ConnectionFailure {
  const code = codeOf(error);
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'HPE_INVALID_EOF_STATE') {
    return new ConnectionFailure(
      'reset',
      'The server closed the connection before its response was complete.',
    );
  }
  if (/^ERR_(SSL|TLS)/.test(code)) return new ConnectionFailure('tls', tlsDetail(code));
  return new ConnectionFailure('protocol', `The response is not valid HTTP (${code}).`);
}

/** Longer than the interim responses that a server sends before the final one. */
const MOST_BYTES = 64 * 1024;
const STATUS_LINE = /^HTTP\/\d(?:\.\d)? +(\d{3})(?= |\r?\n)[^\n]*\n/;

/**
 * Reads the status of a response from its first bytes, because some servers send headers and bodies that a parser rejects.
 * Returns a function that gives the status once its line has arrived.
 */
function watchStatus(socket: Socket): () => number | undefined {
  let head = '';
  const collect = (chunk: Buffer) => {
    head += chunk.toString('latin1');
    if (head.length > MOST_BYTES || statusOf(head) !== undefined) socket.off('data', collect);
  };
  socket.on('data', collect);
  return () => statusOf(head);
}

/** Skips interim responses, such as 100 and 103. */
function statusOf(text: string): number | undefined {
  for (let rest = text; ; ) {
    const line = STATUS_LINE.exec(rest);
    const status = Number(line?.[1]);
    if (!line || status < 100 || status > 599) return undefined;
    if (status >= 200 || status === 101) return status;
    const end = /\n\r?\n/.exec(rest);
    if (!end) return undefined;
    rest = rest.slice(end.index + end[0].length);
  }
}
