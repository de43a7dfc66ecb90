import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Incoming {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  text: string;
}

/** A JSON response, no response until the caller times out, or a reset connection. */
export type Reply = { status: number; body: unknown; headers?: Record<string, string> } | 'hang' | 'reset';

export interface HttpListener {
  /** Has no trailing slash. */
  origin: string;
  close(): Promise<void>;
}

/** A plain HTTP server on loopback. `receive` returns the response to each complete request. */
export async function listen(
  receive: (request: Incoming) => Reply | Promise<Reply>,
  port = 0,
): Promise<HttpListener> {
  const server = createServer((incoming, answer) => void converse(incoming, answer, receive));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function converse(
  incoming: IncomingMessage,
  answer: ServerResponse,
  receive: (request: Incoming) => Reply | Promise<Reply>,
): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk);
  } catch {
    return;
  }
  const { method = '', url = '', headers } = incoming;
  const text = Buffer.concat(chunks).toString();
  const reply = await receive({ method, path: url, headers, text });
  if (reply === 'hang') return;
  if (reply === 'reset') answer.socket?.resetAndDestroy();
  else
    answer
      .writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
      .end(JSON.stringify(reply.body));
}

/** A carrier's callback. A test can send it over the network or inject it into the router. */
export interface Callback {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Sends the callback over the network. Returns the status code. */
export async function post({ url, headers, body }: Callback): Promise<number> {
  const answer = await fetch(url, { method: 'POST', headers, body });
  await answer.arrayBuffer();
  return answer.status;
}
