import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/security/random.ts';
import { retryDelaySeconds } from './delivery.ts';

const app = { clock: systemClock, random: systemRandom(systemClock) };
const steps = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
const refused = (status: number | null, retry_after?: string) => ({ status, retry_after });

test.each(steps.map((step, n) => [n + 1, step]))(
  'after try %i about %i s, 20 % either way',
  (tries, step) => {
    const delays = Array.from({ length: 200 }, () => retryDelaySeconds(app, tries, refused(500)) ?? 0);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(step * 0.8);
    expect(Math.max(...delays)).toBeLessThanOrEqual(step * 1.2);
    expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(step * 0.2);
  },
);

test('the tenth attempt is the last', () => {
  expect(retryDelaySeconds(app, 10, refused(500))).toBeUndefined();
});

test.each([
  ['within one and two steps is obeyed', '400', 400],
  ['below the step counts as the step', '1', 300],
  ['above two steps counts as two', '86400', 600],
])('%s', (_, header, seconds) => {
  expect(retryDelaySeconds(app, 2, refused(503, header))).toBe(seconds);
});

test('a webhook receiver’s Retry-After may be a date', () => {
  const header = new Date(Date.now() + 450_000).toUTCString();
  const delay = retryDelaySeconds(app, 2, refused(429, header)) ?? 0;
  expect(Math.abs(delay - 450)).toBeLessThan(2);
});

test('a webhook receiver’s Retry-After is ignored if invalid', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const delay = retryDelaySeconds(app, 2, refused(503, header)) ?? 0;
      return delay >= 240 && delay <= 600;
    }),
  );
});

test.each([429, 502, 504])('%i delays the retry by at least a minute', (status) => {
  expect(retryDelaySeconds(app, 1, refused(status))).toBe(60);
  expect(retryDelaySeconds(app, 1, refused(status, '7'))).toBe(60);
  expect(retryDelaySeconds(app, 2, refused(status))).toBeGreaterThanOrEqual(240);
});
