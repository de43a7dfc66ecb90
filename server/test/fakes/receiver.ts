import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ARRIVAL_MS } from './arrivals.ts';

export interface ReceivedRequest {
  method: string;
  /** The path with its query. */
  path: string;
  headers: Record<string, string>;
  /** The raw body that the signature covers. */
  body: Buffer;
  text: string;
  receivedAt: Date;
}

export interface ReceiverOptions {
  /** Loopback unless a test needs another address, such as `::1`. */
  host?: string;
  /** A PEM key and certificate, which make it an https server. */
  certificate?: { key: string; cert: string };
  answer?: (request: ReceivedRequest) => ReceiverAnswer | undefined | Promise<ReceiverAnswer | undefined>;
}

/**
 * A customer's webhook server on loopback. It stores every request and responds by path (`answerByPath`) or with the `answer`
 * function, which a test can change at any time.
 */
export class Receiver implements AsyncDisposable {
  readonly requests: ReceivedRequest[] = [];
  /** Called first. If it returns `undefined`, the path determines the response. */
  answer: ReceiverOptions['answer'];
  connections = 0;
  readonly port: number;
  /** Has no trailing slash. */
  readonly origin: string;
  readonly #server: ReturnType<typeof createServer>;
  readonly #sockets: Set<Socket>;
  readonly #watchers = new Set<() => void>();

  constructor(server: ReturnType<typeof createServer>, sockets: Set<Socket>, options: ReceiverOptions) {
    const { address, port } = server.address() as AddressInfo;
    this.port = port;
    this.origin = `${options.certificate ? 'https' : 'http'}://${address.includes(':') ? `[${address}]` : address}:${port}`;
    this.answer = options.answer;
    this.#server = server;
    this.#sockets = sockets;
    server.on('connection', () => this.connections++);
    server.on('request', (incoming, outgoing) => void this.#receive(incoming, outgoing));
  }

  /** `receiver.at('/ok')` is a URL to register. */
  at(path: string): string {
    return this.origin + path;
  }

  /** Bytes received on all connections, including the TLS handshake. */
  get bytesRead(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + socket.bytesRead, 0);
  }

  get bytesWritten(): number {
    return [...this.#sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0);
  }

  /** The currently open connections. */
  get openConnections(): number {
    return [...this.#sockets].filter((socket) => !socket.destroyed).length;
  }

  /** Resolves with the first `count` requests (to `path`, if given). Throws after `timeoutMs`. */
  async waitFor(count: number, { path, timeoutMs = ARRIVAL_MS }: { path?: string; timeoutMs?: number } = {}) {
    const arrived = () => this.requests.filter((request) => path === undefined || request.path === path);
    await this.#until(
      () => arrived().length >= count,
      timeoutMs,
      () => `${arrived().length} of ${count} requests`,
    );
    return arrived().slice(0, count);
  }

  /** Resolves when all connections are closed. */
  async waitUntilQuiet(timeoutMs = ARRIVAL_MS): Promise<void> {
    await this.#until(
      () => this.openConnections === 0,
      timeoutMs,
      () => `${this.openConnections} connections still open`,
    );
  }

  #until(isDone: () => boolean, timeoutMs: number, state: () => string): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (settle: () => void) => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        settle();
      };
      const look = () => isDone() && stop(resolve);
      const timer = setTimeout(() => stop(() => reject(new Error(`Receiver: ${state()}`))), timeoutMs);
      this.#watchers.add(look);
      look();
    });
  }

  /** Re-evaluates the pending waits. */
  notice(): void {
    for (const look of this.#watchers) look();
  }

  async #receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const request: ReceivedRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      ),
      body,
      text: body.toString(),
      receivedAt: new Date(),
    };
    this.requests.push(request);
    this.notice();
    const answer = await this.answer?.(request);
    if (answer === undefined) answerByPath(request.path, outgoing);
    else give(answer, outgoing);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const server = options.certificate ? createTlsServer(options.certificate) : createServer();
  const sockets = new Set<Socket>();
  let receiver: Receiver | undefined;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => receiver?.notice());
  });
  server.listen(0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  receiver = new Receiver(server, sockets, options);
  return receiver;
}

/**
 * The receiver's response by path:
 *
 * /ok 200 · /<status> that status · /gone 410 · /retry-after/<seconds>[/<status>] 503 with Retry-After
 * /redirect?to=<url>[&status=] 302 · /hang never · /drip headers, then a byte now and then · /drip-headers
 * /huge[/<status>] a body of 10 GB · /huge-headers · /reset · /truncated · /garbage not HTTP · /upgrade 101
 */
type ReceiverAnswer =
  | number
  | { status: number; headers?: Record<string, string>; body?: string | Buffer }
  | 'hang'
  | 'reset';

function give(answer: ReceiverAnswer, to: ServerResponse): void {
  if (answer === 'hang') return;
  if (answer === 'reset') reset(to.socket);
  else if (typeof answer === 'number') to.writeHead(answer).end();
  else to.writeHead(answer.status, answer.headers).end(answer.body);
}

/** Plain TCP sends a RST; a TLS connection closes without close_notify. */
function reset(socket: Socket | null): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}

function answerByPath(path: string, to: ServerResponse): void {
  const { pathname, searchParams } = new URL(path, 'http://receiver');
  const [name = '', ...parts] = pathname.split('/').slice(1);
  const status = /^[2-5]\d\d$/.test(name) ? Number(name) : 404;
  const way = ways[name] ?? (() => give(status, to));
  way(to, parts, searchParams);
}

type Way = (to: ServerResponse, parts: string[], query: URLSearchParams) => void;

const ways: Record<string, Way> = {
  ok: (to) => give({ status: 200, body: 'ok' }, to),
  gone: (to) => give(410, to),
  'retry-after': (to, [seconds = '0', status = '503']) => {
    give({ status: Number(status), headers: { 'retry-after': seconds } }, to);
  },
  redirect: (to, _parts, query) => {
    const location = query.get('to') ?? '/';
    give({ status: Number(query.get('status') ?? 302), headers: { location } }, to);
  },
  hang: (to) => give('hang', to),
  reset: (to) => give('reset', to),
  drip: (to) => {
    to.writeHead(200).flushHeaders();
    repeat(to, () => to.write('.'));
  },
  'drip-headers': (to) => {
    to.socket?.write('HTTP/1.1 200 OK\r\n');
    repeat(to, () => to.socket?.write('X-Drip: 1\r\n'));
  },
  huge: (to, [status = '200']) => {
    to.writeHead(Number(status), { 'content-length': 10_000_000_000 });
    pour(to);
  },
  'huge-headers': (to) => give({ status: 200, headers: { 'x-huge': 'x'.repeat(64 * 1024) } }, to),
  truncated: (to) => {
    to.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this');
  },
  garbage: (to) => {
    to.socket?.end('220 mail.example ESMTP\r\n');
  },
  upgrade: (to) => {
    to.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n');
  },
};

function repeat(to: ServerResponse, write: () => void): void {
  const timer = setInterval(write, 20);
  to.on('close', () => clearInterval(timer));
}

/** Writes as fast as the client reads, until it stops reading. */
function pour(to: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const more = () => {
    while (!to.destroyed && to.write(chunk));
  };
  to.on('drain', more);
  more();
}
