import { beforeEach, expect, test, vi } from 'vitest';
import { PartStream } from './export.ts';
import { type ExportSlots, exportSlots, type Reader } from './export-limits.ts';

let nowMs = 0;
let slots: ExportSlots;
beforeEach(() => {
  nowMs = 1_000_000;
  const now = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  slots = exportSlots({ pool: {} } as never);
  return () => now.mockRestore();
});

const refusal = expect.objectContaining({ reason: 'export_limit_reached' });
const FAST = 0;

/** Starts an export whose client is behind by this time. */
function start(account: string, behindMs: number, { by = account, isOperator = false } = {}) {
  const place = slots.enter({ account_id: account, person_id: by }, isOperator);
  const one = { account, isClosed: false, leave: place.leave };
  const reader: Reader = {
    behindMs: () => behindMs,
    destroy: () => {
      one.isClosed = true;
    },
  };
  place.readBy(reader);
  return one;
}
const startMany = (count: number, behindMs: number, prefix = 'account') =>
  Array.from({ length: count }, (_, n) => start(`${prefix} ${n}`, behindMs));

test('if all export slots are taken, a new export gets the slot of the slowest client', () => {
  const slow = [...startMany(15, 1_000), start('slowest', 2_000)];
  start('Alice', FAST);
  expect(slow.filter(({ isClosed }) => isClosed).map(({ account }) => account)).toEqual(['slowest']);
});

test('a client that reads an export at the minimum rate keeps its slot', () => {
  const all = startMany(16, FAST);
  expect(() => start('Alice', FAST)).toThrow(refusal);
  expect(all.some(({ isClosed }) => isClosed)).toBe(false);
  all[0]?.leave();
  start('Alice', FAST);
});

test('an export that is still reading its first rows keeps its slot', () => {
  for (let n = 0; n < 16; n += 1) slots.enter({ account_id: `account ${n}`, person_id: 'Carol' }, false);
  expect(() => start('Alice', FAST)).toThrow(refusal);
});

test('clients that read an export slowly keep their slots while a slot is free', () => {
  const slow = startMany(15, 60_000);
  start('Alice', FAST);
  expect(slow.some(({ isClosed }) => isClosed)).toBe(false);
});

test('an account may run two exports, the second only while half of the slots are free', () => {
  start('Alice', FAST);
  start('Alice', FAST, { by: 'Dora' });
  expect(() => start('Alice', FAST, { by: 'Erin' })).toThrow(refusal);
  startMany(6, FAST);
  start('Bob', FAST);
  expect(() => start('Bob', FAST, { by: 'Dora' })).toThrow(refusal);
});

test('a member has one export slot of an account, so the second is left to another member', () => {
  const first = start('Alice', FAST, { by: 'Vera' });
  for (let n = 0; n < 5; n += 1) expect(() => start('Alice', FAST, { by: 'Vera' })).toThrow(refusal);
  start('Alice', FAST, { by: 'Dora' });
  start('Bob', FAST, { by: 'Vera' });
  first.leave();
  start('Alice', FAST, { by: 'Vera' });
});

test('fifty accounts that read nothing leave an export slot for an account that never read slowly', () => {
  for (let n = 0; n < 500; n += 1) {
    nowMs += 1_000;
    try {
      start(`attacker ${n % 50}`, 1_000);
    } catch (error) {
      expect(error).toEqual(refusal);
    }
    // Alice tries rarely.
    if (n > 60 && n % 20 === 0) start(`Alice ${n}`, FAST).leave();
  }
});

test('an account that lost its export slot may use the last half of the slots after five minutes', () => {
  start('slowest', 2_000);
  const rest = startMany(15, FAST);
  start('Alice', FAST);
  rest[0]?.leave();
  expect(() => start('slowest', FAST)).toThrow(refusal);
  nowMs += 299_999;
  expect(() => start('slowest', FAST)).toThrow(refusal);
  nowMs += 1;
  start('slowest', FAST);
});

test('an account that lost its export slot may use the first half of the slots immediately', () => {
  start('slowest', 2_000);
  const rest = startMany(15, FAST);
  start('Alice', FAST);
  for (const one of rest.slice(0, 9)) one.leave();
  start('slowest', FAST);
});

test('customers cannot use the four export slots of operators', () => {
  startMany(16, FAST);
  for (let n = 0; n < 4; n += 1) start(`operator ${n}`, FAST, { isOperator: true });
  expect(() => start('operator 4', FAST, { isOperator: true })).toThrow(refusal);
});

// ── the rate of a client ──

/** Reads a stream of megabytes for a time with one piece after each pause. Each part takes the database this long. */
async function reading(pauseMs: number, forMs: number, databaseMs = 0): Promise<PartStream> {
  const part = 'x'.repeat(1024 * 1024);
  const more = async () => {
    nowMs += databaseMs;
    return part;
  };
  const stream = new PartStream(part, more, 60_000);
  const endMs = nowMs + forMs;
  const pieces = stream[Symbol.asyncIterator]();
  while (nowMs < endMs) {
    await pieces.next();
    nowMs += pauseMs;
  }
  return stream;
}

test.each([
  ['the whole export at once', 1, 1_000, 0],
  ['100 kB a second', 650, 600_000, 0],
  ['100 kB a second, while the database is slow', 650, 600_000, 5_000],
  ['nothing for four seconds', 4_000, 4_000, 0],
])('an export client that reads %s is fast enough', async (_, pauseMs, forMs, databaseMs) => {
  const stream = await reading(pauseMs, forMs, databaseMs);
  expect(stream.behindMs()).toBeLessThanOrEqual(0);
  stream.destroy();
});

test.each([
  ['nothing for six seconds', 6_000, 6_000],
  ['80 kB a second for a minute', 820, 60_000],
  ['one piece in ten seconds', 10_000, 60_000],
])('an export client that reads %s is too slow', async (_, pauseMs, forMs) => {
  const stream = await reading(pauseMs, forMs);
  expect(stream.behindMs()).toBeGreaterThan(0);
  stream.destroy();
});

test('an export of several chunks reads back byte by byte', async () => {
  const texts = ['é'.repeat(50_001), '', `${'a'.repeat(13)}${'😀'.repeat(80_000)}`, 'end'];
  const [first = '', ...rest] = texts;
  const stream = new PartStream(first, async () => rest.shift() ?? null, 60_000);
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece as string));
  expect(pieces.length).toBeGreaterThan(3);
  expect(Buffer.concat(pieces).toString()).toBe(texts.join(''));
});
