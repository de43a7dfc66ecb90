/**
 * `fetch` for a library that calls URLs of a customer's choice. Like `outboundPost`, it connects only to checked addresses and
 * follows no redirect. Unlike it, it returns the whole body, and throws.
 */

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { readTarget } from './address.ts';
import { ConnectionFailure, connectPublic, type Resolve, timeLimit } from './connect.ts';
import { obstacleOf } from './request.ts';

export interface OutboundFetch {
  /** Permits http:// and every address for this URL. */
  allowPrivate(url: URL): boolean;
  /** Timeout of each call, including name resolution and the whole body. */
  timeoutMs: number;
  connectTimeoutMs: number;
  /** A longer body fails the call. */
  maxBytes: number;
  resolve?: Resolve | undefined;
}

/** The part of `fetch` that it supports: text or form bodies. */
export interface FetchInit {
  method?: string | undefined;
  headers?: Record<string, string> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/** Throws `ConnectionFailure` unless a complete response arrived in time. */
export const outboundFetch =
  (options: OutboundFetch) =>
  async (address: string, init: FetchInit = {}): Promise<Response> => {
    const parsed = URL.parse(address);
    const allowPrivate = parsed !== null && options.allowPrivate(parsed);
    const target = readTarget(address, { allowPrivate });
    if ('problem' in target) throw new ConnectionFailure(target.refused, target.problem);

    const { timeoutMs, connectTimeoutMs, resolve } = options;
    using limit = timeLimit(timeoutMs, `No complete response arrived within ${timeoutMs / 1000} s.`);
    const deadline = limit.signal;
    const socket = await connectPublic(target.url, { allowPrivate, connectTimeoutMs, resolve, deadline });
    try {
      return await exchange(socket, target.url, { init, deadline, maxBytes: options.maxBytes });
    } catch (error) {
      if (deadline.aborted) throw deadline.reason;
      throw error instanceof ConnectionFailure ? error : obstacleOf(error);
    } finally {
      socket.destroy();
    }
  };

interface Exchange {
  init: FetchInit;
  deadline: AbortSignal;
  maxBytes: number;
}

async function exchange(socket: Socket, url: URL, { init, deadline, maxBytes }: Exchange): Promise<Response> {
  const body = textOfBody(init.body);
  const request = httpRequest({
    createConnection: () => socket,
    method: init.method ?? 'GET',
    path: url.pathname + url.search,
    headers: {
      ...init.headers,
      host: url.host,
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      'accept-encoding': 'identity',
      connection: 'close',
    },
    signal: deadline,
  });
  request.on('error', () => {});
  request.end(body);
  const [response] = (await once(request, 'response', { signal: deadline })) as [IncomingMessage];
  const bytes = await readAll(response, maxBytes);
  const status = response.statusCode ?? 0;
  if (status < 200) throw new ConnectionFailure('protocol', 'The response is not valid HTTP.');
  const headers = new Headers();
  for (const [name, values] of Object.entries(response.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : new Uint8Array(bytes), { status, headers });
}

function textOfBody(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new TypeError('Only text and form bodies are supported');
}

async function readAll(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new ConnectionFailure(
        'protocol',
        `The response is longer than ${Math.floor(maxBytes / 1024).toLocaleString('en-US')} KiB.`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
