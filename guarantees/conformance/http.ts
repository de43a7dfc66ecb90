import { Agent as HttpAgent, type IncomingHttpHeaders, request as requestOverHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestOverHttps } from 'node:https';
import { setTimeout as after } from 'node:timers/promises';

export interface Request {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: Buffer;
}

export interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  milliseconds: number;
}

export interface Sending {
  timeoutMs: number;
  /** the body in two parts of a chunked request, with a pause between */
  inParts?: boolean;
  /** closes the connection as soon as the request is written, and returns undefined */
  withoutWaiting?: boolean;
}

/** No response, such as a reset connection or one that is too late. The message is a sentence. */
export class NoResponse extends Error {}

/** One connection per request, so that a connection that the server closes is never used again. */
const AGENTS = {
  'http:': new HttpAgent({ keepAlive: false }),
  'https:': new HttpsAgent({ keepAlive: false }),
};
const PAUSE_MS = 100;
const BODY_MAX = 200_000;

export function send(request: Request, how: Sending & { withoutWaiting: true }): Promise<undefined>;
export function send(request: Request, how: Sending): Promise<Response>;
/** Sends a request as it is. Throws NoResponse. */
export async function send(
  { method, url, headers, body }: Request,
  { timeoutMs, inParts = false, withoutWaiting = false }: Sending,
): Promise<Response | undefined> {
  const { protocol } = new URL(url);
  const from = performance.now();
  const options = {
    method,
    agent: AGENTS[protocol as keyof typeof AGENTS],
    headers: inParts ? headers : { ...headers, 'Content-Length': String(body.length) },
    timeout: timeoutMs,
  };
  const outgoing = protocol === 'https:' ? requestOverHttps(url, options) : requestOverHttp(url, options);
  const response = new Promise<Response>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new NoResponse(`No response within ${timeoutMs / 1000} seconds, after which the system gives up.`),
      );
      outgoing.destroy();
    }, timeoutMs);
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      reject(new NoResponse(`No response: ${error.code ?? error.message}.`)),
    );
    outgoing.on('response', (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (part: string) => {
        if (text.length < BODY_MAX) text += part;
      });
      incoming.on('error', () => reject(new NoResponse('The response broke off.')));
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          milliseconds: performance.now() - from,
        }),
      );
    });
    outgoing.on('close', () => clearTimeout(timer));
  });
  // It can fail before it is awaited below.
  response.catch(() => undefined);
  if (withoutWaiting) {
    await new Promise<void>((resolve) => outgoing.end(body, () => resolve()));
    await after(PAUSE_MS);
    outgoing.destroy();
    return undefined;
  }
  if (inParts) {
    const half = Math.floor(body.length / 2);
    outgoing.write(body.subarray(0, half));
    await after(PAUSE_MS);
    outgoing.end(body.subarray(half));
  } else outgoing.end(body);
  return response;
}
