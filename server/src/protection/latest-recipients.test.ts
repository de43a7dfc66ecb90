import { expect, test } from 'vitest';
import {
  countOthers,
  type LatestRecipients,
  lastSendTo,
  minutesOf,
  withRecipient,
} from './latest-recipients.ts';

const noted = (sends: readonly (readonly [string, number])[], most = 16): LatestRecipients | undefined =>
  sends.reduce<LatestRecipients | undefined>(
    (list, [recipient, minute]) => withRecipient(list, recipient, { minute, most }),
    undefined,
  );

test('a recipient counts once, with the minute of its last send', () => {
  const list = noted([
    ['a', 1],
    ['b', 2],
    ['a', 3],
  ]);
  expect(lastSendTo(list, 'a')).toBe(3);
  expect(lastSendTo(list, 'b')).toBe(2);
  expect(lastSendTo(list, 'c')).toBeUndefined();
  expect(lastSendTo(undefined, 'a')).toBeUndefined();
  expect(minutesOf(list)).toEqual([2, 3]);
});

test('others are counted since a minute, without the recipient, up to a limit', () => {
  const list = noted([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
  expect(countOthers(list, 'a', { since: 1 })).toBe(2);
  expect(countOthers(list, 'a', { since: 3 })).toBe(1);
  expect(countOthers(list, 'd', { since: 0, least: 2 })).toBe(2);
  expect(countOthers(undefined, 'a', { since: 0 })).toBe(0);
});

test('a list keeps the latest recipients up to its limit, however many numbers an attacker tries', () => {
  const sends = Array.from({ length: 10_000 }, (_, n) => [`number ${n}`, n] as const);
  const list = noted(sends, 3);
  expect(minutesOf(list)).toEqual([9_997, 9_998, 9_999]);
  expect(list).toHaveLength(3);
});

test('256 recipients with similar numbers count as 256', () => {
  const list = noted(
    Array.from({ length: 256 }, (_, n) => [`${n}`.padStart(12, '0'), n] as const),
    256,
  );
  expect(minutesOf(list)).toHaveLength(256);
});

test('minutes of this century are kept exactly, for every recipient', () => {
  const last = Date.UTC(2096, 0) / 60_000;
  for (let n = 0; n < 1_000; n++) {
    const list = noted([[`number ${n}`, last + n]]);
    expect(lastSendTo(list, `number ${n}`)).toBe(last + n);
  }
});
