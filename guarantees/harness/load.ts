import { connect, type Socket } from 'node:net';
import type { Account } from './accounts.ts';

/** A small HTTP/1.1 client for load: keep-alive connections with one request in flight on each. It parses only status and body. */
export interface Prepared {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Answered {
  status: number;
  body: string;
}

/** The connection closed before a response arrived. */
const UNANSWERED: Answered = { status: 0, body: '' };

interface Lane {
  /** Whether the server closed the connection, for example after its keep-alive timeout. */
  isClosed(): boolean;
  ask(request: Prepared): Promise<Answered>;
  close(): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');

async function openLane(port: number): Promise<Lane> {
  const socket: Socket = await new Promise((resolve, reject) => {
    const opening = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(opening));
    opening.once('error', reject);
  });
  let received = Buffer.alloc(0);
  let answer: ((answered: Answered) => void) | undefined;
  let fail: ((error: Error) => void) | undefined;
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const end = received.indexOf(HEAD_END);
    if (end < 0) return;
    const head = received.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (received.length < end + 4 + length) return;
    const body = received.toString('utf8', end + 4, end + 4 + length);
    received = received.subarray(end + 4 + length);
    answer?.({ status: Number(head.slice(9, 12)), body });
  });
  socket.on('error', (error) => fail?.(error));
  socket.on('close', () => fail?.(new Error('connection closed')));
  return {
    isClosed: () => socket.destroyed || socket.readyState !== 'open',
    ask: ({ path, headers, body }) =>
      new Promise((resolve, reject) => {
        answer = resolve;
        fail = reject;
        const extra = Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('');
        socket.write(
          `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${extra}\r\n${body}`,
        );
      }),
    close: () => {
      fail = undefined;
      socket.destroy();
    },
  };
}

export interface Closed {
  /** responses per second */
  rate: number;
  answers: number;
  refused: Map<number, number>;
}

/** Closed loop: each connection sends its next request as soon as it has a response, until `next` returns nothing or time is up. */
export async function closedLoop(
  port: number,
  { connections, seconds }: { connections: number; seconds: number },
  next: () => Prepared | undefined,
  expected: number,
  onAnswer?: (answered: Answered) => void,
): Promise<Closed> {
  const lanes = await Promise.all(Array.from({ length: connections }, () => openLane(port)));
  const refused = new Map<number, number>();
  const until = performance.now() + seconds * 1000;
  const began = performance.now();
  let answers = 0;
  await Promise.all(
    lanes.map(async (lane) => {
      while (performance.now() < until) {
        const request = next();
        if (!request) break;
        const answered = await lane.ask(request);
        if (answered.status === expected) answers++;
        else refused.set(answered.status, (refused.get(answered.status) ?? 0) + 1);
        onAnswer?.(answered);
      }
    }),
  );
  const rate = answers / ((performance.now() - began) / 1000);
  for (const lane of lanes) lane.close();
  return { rate, answers, refused };
}

/**
 * Open loop: requests are sent on schedule, even if responses are slow. Latency, in milliseconds, counts from the scheduled time.
 * Skips a slot when `next` returns nothing.
 */
export async function openLoop(
  port: number,
  { perSecond, seconds, connections }: { perSecond: number; seconds: number; connections: number },
  next: () => Prepared | undefined,
  onAnswer?: (answered: Answered, waited: number) => void,
): Promise<number[]> {
  const lanes = await Promise.all(Array.from({ length: connections }, () => openLane(port)));
  const free = [...lanes];
  const waiting: { request: Prepared; dueMs: number }[] = [];
  const waits: number[] = [];
  const total = Math.round(perSecond * seconds);
  const began = performance.now();
  await new Promise<void>((resolve) => {
    let planned = 0;
    let done = 0;
    let skipped = 0;
    const dispatch = () => {
      while (free.length > 0 && waiting.length > 0) {
        // With round robin, no connection reaches the keep-alive timeout.
        const lane = free.shift() as Lane;
        const { request, dueMs } = waiting.shift() as { request: Prepared; dueMs: number };
        void askOn(lane, request).then(({ live, answered }) => end(live, answered, dueMs));
      }
    };
    const askOn = async (lane: Lane, request: Prepared): Promise<{ live: Lane; answered: Answered }> => {
      const live = lane.isClosed() ? await reopened(lane) : lane;
      try {
        return { live, answered: await live.ask(request) };
      } catch {
        return { live: await reopened(live), answered: UNANSWERED };
      }
    };
    const reopened = async (lane: Lane): Promise<Lane> => {
      lane.close();
      const fresh = await openLane(port).catch(() => lane);
      lanes.push(fresh);
      return fresh;
    };
    const end = (lane: Lane, answered: Answered, dueMs: number) => {
      const waited = performance.now() - dueMs;
      waits.push(waited);
      onAnswer?.(answered, waited);
      free.push(lane);
      done++;
      dispatch();
      endWhenDone();
    };
    const endWhenDone = () => {
      if (planned === total && done + skipped === total) resolve();
    };
    const tick = () => {
      const due = Math.min(total, 1 + Math.floor(((performance.now() - began) / 1000) * perSecond));
      for (; planned < due; planned++) {
        const request = next();
        if (request) waiting.push({ request, dueMs: began + (planned / perSecond) * 1000 });
        else skipped++;
      }
      dispatch();
      endWhenDone();
      if (planned < total) setTimeout(tick, 1);
    };
    tick();
  });
  for (const lane of lanes) lane.close();
  return waits;
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

const SEND = '/api/v1/otp/send/';
const VERIFY = '/api/v1/otp/verify/';
const AREA_CODES = ['212', '415', '305', '617', '206', '312'];
const NUMBERS_PER_AREA = 7_000_000;

let issued = 0;

/** A North American phone number, different at every call within a process. */
export function nextPhone(): string {
  issued++;
  const area = AREA_CODES[Math.floor(issued / NUMBERS_PER_AREA) % AREA_CODES.length];
  return `+1${area}${2_000_000 + (issued % NUMBERS_PER_AREA)}`;
}

export const sendRequest = (
  key: string,
  recipient = nextPhone(),
  fields: object = { channel: 'sms' },
): Prepared => ({
  path: SEND,
  headers: { 'x-api-key': key },
  body: JSON.stringify({ recipient, ...fields }),
});

export const verifyRequest = (key: string, otp_id: string, code: string | undefined): Prepared => ({
  path: VERIFY,
  headers: { 'x-api-key': key },
  body: JSON.stringify({ otp_id, code }),
});

/** Sends to new numbers, from one key after the other. */
export function sender(accounts: readonly Account[], fields?: object): () => Prepared {
  let turn = 0;
  return () => sendRequest(accounts[turn++ % accounts.length]?.key ?? '', undefined, fields);
}
