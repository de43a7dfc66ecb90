import { expect, test } from 'vitest';
import { inSlices } from '../platform/queue/slices.ts';
import { backTest, type PastSend } from './back-test.ts';
import { policyOf } from './policy.ts';

const NOW = new Date('2026-11-26T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ago = (ms: number): number => NOW.getTime() - ms;

const plan = (limit: number) => ({
  rule: 'prefix_velocity' as const,
  given: policyOf(
    { rules: { prefix_velocity: { mode: 'enforce', limit } }, allow: [], deny: [] },
    { sandbox: true },
  ),
  saved: undefined,
});

const send = (n: number, sent_ms: number, end: PastSend['end'] = null): PastSend => ({
  id: `${n}`,
  number: `+1415555${String(n % 10_000).padStart(4, '0')}`,
  country: 'US',
  client_ip: null,
  sent_ms,
  has_own_code: false,
  known: null,
  end,
});

test('sends before the tested period only fill the counters', async () => {
  const before = Array.from({ length: 6 }, (_, n) => send(n, ago(30 * DAY + MINUTE)));
  const found = await inSlices(
    backTest(plan(5), { sends: [...before, send(9, ago(30 * DAY))], limited_by: null }, NOW),
  );
  expect(found).toMatchObject({ sends: 1, blocked: 1, from: new Date(ago(30 * DAY)).toISOString() });
});

test('if older sends are missing, the first fifth of the others fills the counters', async () => {
  const sends = Array.from({ length: 5 }, (_, n) => send(n, ago((5 - n) * HOUR)));
  const found = await inSlices(backTest(plan(5), { sends, limited_by: 'sends' }, NOW));
  expect(found).toMatchObject({
    sends: 4,
    limited_by: 'sends',
    from: new Date(ago(4 * HOUR)).toISOString(),
  });
});

test('history of 30 days and a day is complete enough not to be called short', async () => {
  const found = await inSlices(
    backTest(plan(5), { sends: [send(1, ago(32 * DAY)), send(2, ago(DAY))], limited_by: 'retention' }, NOW),
  );
  expect(found).toMatchObject({ sends: 1, limited_by: null });
});

test('a send that was never dispatched stops counting', async () => {
  const sends = Array.from({ length: 7 }, (_, n) =>
    send(n, ago(10 * MINUTE - n * 1_000), { event: 'void', at_ms: ago(10 * MINUTE - n * 1_000 - 500) }),
  );
  const found = await inSlices(backTest(plan(5), { sends, limited_by: null }, NOW));
  expect(found).toMatchObject({ sends: 7, blocked: 0 });
});

test('blocked sends do not count, so the limit stays reached until the window has room', async () => {
  const sends = Array.from({ length: 20 }, (_, n) => {
    const at = ago(HOUR - n * 1_000);
    return send(n, at, { event: 'verified', at_ms: at + 500 });
  });
  const found = await inSlices(backTest(plan(5), { sends, limited_by: null }, NOW));
  expect(found).toMatchObject({ sends: 20, blocked: 15, verified: 15, verified_sends: 20 });
});

test('an aborted back-test stops', async () => {
  const sends = Array.from({ length: 20_000 }, (_, n) => send(n, ago(DAY - n * 1_000)));
  const stop = AbortSignal.abort();
  await expect(inSlices(backTest(plan(5), { sends, limited_by: null }, NOW), stop)).rejects.toMatchObject({
    reason: 'too_many_requests',
  });
});
