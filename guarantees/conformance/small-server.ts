import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';

/**
 * A small implementation of Novu's webhook and of Zitadel's SMS provider, with faults by choice. It shows that the suite accepts
 * an implementation that has nothing in common with Sixdigit, and finds each fault.
 */
export const FAULTS = [
  'sends every retry',
  'sends only the first code to a recipient',
  'forgets messages',
  'sends what it refuses',
  'leaves out a field',
  'accepts with 500',
  'echoes requests',
  'refuses with 200',
  'fails on malformed bodies',
  'hangs',
  'wants no unknown fields',
  'wants small bodies',
  'wants a length',
  'compares whole content types',
  'knows one secret',
  'reads the first signature only',
  'accepts any secret',
  'accepts any date',
  'signs without the date',
  'compares beginnings of secrets',
] as const;
export type Fault = (typeof FAULTS)[number];

export const SECRET = '5f0c1d9be2a84736c1f0aa93d2e7b8046c5d9e1f';
export const PREVIOUS_SECRET = 'a90b7c3d1e5f2468ace013579bdf02468ace1357';
const LIMIT = 64 * 1024;
const TOLERANCE_SECONDS = 300;

interface Reply {
  status: number;
  body?: object;
}
type Sent = { to: string; text: string; code: string };

export async function smallServer(fault?: Fault) {
  const sent: Sent[] = [];
  const seen = new Set<string>();

  const isKnown = (secret: string): boolean => {
    const known = fault === 'knows one secret' ? [SECRET] : [SECRET, PREVIOUS_SECRET];
    if (fault === 'accepts any secret') return true;
    if (fault === 'compares beginnings of secrets')
      return secret.length > 0 && known.some((one) => one.startsWith(secret));
    return known.includes(secret);
  };

  const isSigned = (header: string, body: string): boolean => {
    if (fault === 'accepts any secret') return true;
    const [time = '', ...macs] = header.split(',');
    const at = time.replace('t=', '');
    if (fault !== 'accepts any date' && !(Math.abs(Date.now() / 1000 - Number(at)) <= TOLERANCE_SECONDS))
      return false;
    const given = fault === 'reads the first signature only' ? macs.slice(0, 1) : macs;
    const secrets = fault === 'knows one secret' ? [SECRET] : [SECRET, PREVIOUS_SECRET];
    const times = fault === 'signs without the date' ? recentTimes(at) : [at];
    return secrets.some((secret) =>
      times.some((one) =>
        given.includes(`v1=${createHmac('sha256', secret).update(`${one}.${body}`).digest('hex')}`),
      ),
    );
  };

  const deliver = (to: string, code: string, text: string): void => {
    const key = fault === 'sends only the first code to a recipient' ? to : `${to} ${code}`;
    if (seen.has(key) && fault !== 'sends every retry') return;
    seen.add(key);
    if (fault !== 'forgets messages') sent.push({ to, code, text });
  };

  function receive(path: string, headers: IncomingMessage['headers'], text: string): Reply {
    const isGenuine =
      path === '/novu'
        ? isKnown(String(headers['x-api-key'] ?? headers.authorization ?? ''))
        : isSigned(String(headers['zitadel-signature'] ?? headers['x-zitadel-signature'] ?? ''), text);
    if (!isGenuine && fault !== 'sends what it refuses') return { status: 401 };
    const body = bodyOf(text, fault);
    if (body === undefined) return { status: isGenuine ? 400 : 401 };
    const wanted = wantedBy(path, body);
    if (!/^\+\d{8,15}$/.test(wanted.to)) return { status: fault === 'refuses with 200' ? 200 : 400 };
    deliver(wanted.to, wanted.code, wanted.text);
    if (!isGenuine) return { status: 401 };
    if (fault === 'accepts with 500') return { status: 500 };
    if (fault === 'echoes requests') return { status: 500, body: { 'x-api-key': headers['x-api-key'] } };
    const data = { id: wanted.code, date: new Date().toISOString() };
    return { status: 200, body: fault === 'leaves out a field' ? { data: { id: wanted.code } } : { data } };
  }

  /** Undefined if the connection was closed during the request. */
  async function replyTo(request: IncomingMessage): Promise<Reply | undefined> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const body = await bytesOf(request);
    if (body === undefined) return undefined;
    if (pathname === '/messages') {
      const to = searchParams.get('to');
      return { status: 200, body: { items: sent.filter((one) => one.to === to) } };
    }
    if (fault === 'hangs') await after(10_000, undefined, { ref: false });
    if (body.length > (fault === 'wants small bodies' ? 8_192 : LIMIT)) return { status: 413 };
    if (fault === 'wants a length' && request.headers['content-length'] === undefined) return { status: 411 };
    const type = request.headers['content-type'] ?? '';
    if (fault === 'compares whole content types' ? type !== 'application/json' : !/json/.test(type))
      return { status: 415 };
    try {
      return receive(pathname, request.headers, body.toString());
    } catch {
      return { status: 500 };
    }
  }
  const converse = async (request: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const reply = await replyTo(request);
    if (reply === undefined) return;
    answer.writeHead(reply.status, { 'content-type': 'application/json' });
    answer.end(reply.body === undefined ? '' : JSON.stringify(reply.body));
  };
  const server = createServer((request, answer) => void converse(request, answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Undefined if the connection was closed during the request. */
async function bytesOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** Every second of the last quarter of an hour, as if the date were not signed. */
const recentTimes = (at: string): string[] => Array.from({ length: 900 }, (_, n) => String(Number(at) - n));

type Body = Record<string, unknown>;

/** Undefined if it is not an object. */
function bodyOf(text: string, fault: Fault | undefined): Body | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    if (fault === 'fails on malformed bodies') throw error;
    return undefined;
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const known = ['to', 'content', 'id', 'sender', 'contextInfo', 'templateData', 'args'];
  if (fault === 'wants no unknown fields' && Object.keys(body).some((name) => !known.includes(name)))
    return undefined;
  return body as Body;
}

function wantedBy(path: string, body: Body): Sent {
  const text = String(path === '/novu' ? body.content : (body.templateData as Body | undefined)?.text);
  const context = body.contextInfo as Body | undefined;
  return {
    to: String(path === '/novu' ? body.to : context?.recipientPhoneNumber),
    text,
    code: /\d{6}/.exec(text)?.[0] ?? '',
  };
}
