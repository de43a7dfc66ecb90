/**
 * The only way to call a URL that a customer provided. `outboundPost` never throws, follows no redirect, always ends within its
 * timeout, and reads at most `maxBytes`.
 */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { readTarget } from './address.ts';
import { connectPublic, type Resolve, tlsDetail } from './connect.ts';
import { ConnectionFailure, codeOf, type Reason, timeLimit } from './connection-failure.ts';

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
  /** The first 4 KiB of the body as valid UTF-8 without NUL. A word or number that would be cut is left out. */
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

/** Every status is a response, including redirects and a body longer than `maxBytes`, whose rest stays unread. */
export async function outboundPost(post: OutboundPost): Promise<Answer | Failed> {
  const startedMs = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedMs);
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
    maxHeaderSize: 16_384,
    signal: deadline,
  });
  request.on('error', () => {});
  request.end(post.body);
  const [response] = (await Promise.race([
    once(request, 'response', { signal: deadline }),
    once(request, 'upgrade', { signal: deadline }),
  ])) as [IncomingMessage];

  const body =
    response.statusCode === 101 ? Buffer.alloc(0) : await readUpTo(post.maxBytes ?? 65_536, response);
  const retryAfter = response.headers['retry-after'];
  return {
    status: response.statusCode ?? 0,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    excerpt:
      body.length > excerptBytes ? withoutCutWord(textOf(body.subarray(0, excerptBytes))) : textOf(body),
  };
}

async function readUpTo(maxBytes: number, response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks);
}

/** Streaming mode drops a character that is truncated at the end. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '');
}

/** Longer than any e-mail address or phone number. */
const WORD_MOST = 320;

/** An erasure finds whole addresses and numbers only, so a text does not end within one. */
function withoutCutWord(text: string): string {
  const from = Math.max(0, text.length - WORD_MOST);
  const word = text.slice(from).search(/[\s"'<>(),;:{}[\]][^\s"'<>(),;:{}[\]]*$/);
  return word < 0 ? text : text.slice(0, from + word).replace(/[\d\s().+/-]{1,40}$/, '');
}

function obstacleOf(error: unknown): ConnectionFailure {
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ConnectionFailure('too_large', 'The headers of the response are larger than 16 KiB.');
  }
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'HPE_INVALID_EOF_STATE') {
    return new ConnectionFailure(
      'reset',
      'The server closed the connection before its response was complete.',
    );
  }
  if (/^ERR_(SSL|TLS)/.test(code)) return new ConnectionFailure('tls', tlsDetail(code));
  return new ConnectionFailure('protocol', `The response is not valid HTTP (${code}).`);
}
