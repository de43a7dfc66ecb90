/**
 * The receiver's response by path:
 *
 * /ok 200 · /<status> that status · /gone 410 · /retry-after/<seconds>[/<status>] 503 with Retry-After
 * /redirect?to=<url>[&status=] 302 · /hang never · /drip headers, then a byte now and then · /drip-headers
 * /huge[/<status>] a body of 10 GB · /huge-headers · /reset · /truncated · /garbage not HTTP · /upgrade 101
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

export type ReceiverAnswer =
  | number
  | { status: number; headers?: Record<string, string>; body?: string | Buffer }
  | 'hang'
  | 'reset';

export function give(answer: ReceiverAnswer, to: ServerResponse): void {
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

export function answerByPath(path: string, to: ServerResponse): void {
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
