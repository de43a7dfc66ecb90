import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { systemRandom } from '../security/random.ts';
import { createLiveRows, type EventStream, type LiveRows, type StateOf } from './live.ts';

const NEVER: StateOf = async () => [];

function liveRows(sources: {
  verifications?: StateOf;
  openSessions?: (ids: readonly string[]) => Promise<string[]>;
}): LiveRows {
  const { verifications = NEVER, openSessions = async (ids) => [...ids] } = sources;
  const rows = createLiveRows(
    { db: {}, log: { debug: () => undefined }, random: systemRandom(systemClock) } as never,
    {
      states: { verifications, requests: NEVER, credits: NEVER },
      openSessions: (_, ids) => openSessions(ids),
    },
  );
  // The first poll then reads the sessions and sends a heartbeat.
  const aMinuteLater = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  onTestFinished(() => {
    rows.close();
    aMinuteLater.mockRestore();
  });
  return rows;
}

/** The stream of an account, and what it has received. */
function listen(rows: LiveRows, account_id: string): { stream: EventStream; text: () => string } {
  const stream = rows.open({ account_id, session_id: account_id, is_proven: false } as never);
  let text = '';
  stream.on('data', (piece: string) => {
    text += piece;
  });
  return { stream, text: () => text };
}

const received = () => new Promise((resolve) => setImmediate(resolve));

test('a stream that opens while the sessions are read stays open', async () => {
  const asked = Promise.withResolvers<void>();
  const read = Promise.withResolvers<string[]>();
  const rows = liveRows({
    openSessions: (ids) => {
      asked.resolve();
      expect(ids).toEqual(['alice']);
      return read.promise;
    },
  });
  const alice = listen(rows, 'alice');
  const polled = rows.poll();
  await asked.promise;
  const bob = listen(rows, 'bob');
  read.resolve(['alice']);
  await polled;
  await received();
  expect(alice.stream.readableEnded).toBe(false);
  expect(bob.stream.readableEnded).toBe(false);
});

test('a stream whose session has ended comes to its end, although a heartbeat is due', async () => {
  const rows = liveRows({ openSessions: async () => [] });
  const { stream, text } = listen(rows, 'alice');
  const closed = new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject));
  await rows.poll();
  await closed;
  expect(text()).toMatch(/retry: 0\n\n$/);
});

test('a stream is ready only when the next change will be noticed', async () => {
  const asked = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  let state = 1;
  const rows = liveRows({
    verifications: async (_, ids) => {
      const rowsThen = ids.map((account_id) => ({ account_id, state: String(state) }));
      asked.resolve();
      await read.promise;
      return rowsThen;
    },
  });
  listen(rows, 'alice');
  const polled = rows.poll();
  await asked.promise;
  const bob = listen(rows, 'bob');
  read.resolve();
  await polled;
  await received();
  expect(bob.text()).not.toContain('ready');
  await rows.poll();
  await received();
  expect(bob.text()).toContain('event: ready');
  state = 2;
  await rows.poll();
  await received();
  expect(bob.text()).toContain('event: changed\ndata: {"topics":["verifications"]}');
});

const refusal = expect.objectContaining({ reason: 'live_limit_reached' });
const listenMany = (rows: LiveRows, accounts: number, each: number, prefix = 'account') =>
  Array.from({ length: accounts }, (_, n) =>
    Array.from({ length: each }, () => listen(rows, `${prefix} ${n}`)),
  );

test('an account has five streams at once, and another account has its own five', () => {
  const rows = liveRows({});
  listenMany(rows, 1, 5, 'Alice');
  expect(() => listenMany(rows, 1, 1, 'Alice')).toThrow(refusal);
  listenMany(rows, 1, 5, 'Bob');
});

test('in a process without room, a new stream ends the oldest one of the accounts that have most', async () => {
  const rows = liveRows({});
  const bystanders = listenMany(rows, 10, 2, 'bystander');
  const attackers = listenMany(rows, 196, 5, 'attacker');
  listen(rows, 'Alice');
  listen(rows, 'Alice');
  await received();
  expect(attackers[0]?.[0]?.text()).toMatch(/retry: \d{5}\n\n$/);
  expect(attackers[1]?.[0]?.text()).toMatch(/retry: \d{5}\n\n$/);
  const ended = [...bystanders, ...attackers].flat().filter(({ text }) => text().includes('retry'));
  expect(ended).toHaveLength(2);
});

test('in a process without room, an account opens no stream as long as no other account has more', async () => {
  const rows = liveRows({});
  const all = listenMany(rows, 500, 2).flat();
  expect(() => listen(rows, 'account 0')).toThrow(refusal);
  await received();
  expect(all.some(({ text }) => text().includes('retry'))).toBe(false);
});

test('a process has at most 1,000 streams, however many accounts take turns', async () => {
  const rows = liveRows({});
  const all = listenMany(rows, 1_500, 1).flat();
  await received();
  expect(all.filter(({ text }) => !text().includes('retry'))).toHaveLength(1_000);
  expect(all.slice(0, 500).every(({ text }) => text().includes('retry'))).toBe(true);
});
