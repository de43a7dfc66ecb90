import { expect, test } from 'vitest';
import { createCounters } from './counters.ts';
import { inDay } from './series.ts';

const ACCOUNT = '0199e0a0-0000-7000-8000-000000000001';
const MINUTE = 29_000_000;
const CLIENT = '203.0.113.7';

test('a client that was asked for last is forgotten with its generation, and counted anew', () => {
  const counters = createCounters({ most: 8 });
  const send = (prefix: string, client: string | null) =>
    counters.record({ account_id: ACCOUNT, prefix, country: 'US', client }, 'sent', MINUTE * 60_000);
  const sentBy = () => inDay(counters.find(ACCOUNT, 'client', CLIENT), 'sent', MINUTE);
  send('+1202555', CLIENT);
  expect(sentBy()).toBe(1);
  for (let n = 0; n < 20; n++) send(`+12025${n}`, null);
  expect(sentBy()).toBe(0);
  send('+1202555', CLIENT);
  send('+1202555', CLIENT);
  expect(sentBy()).toBe(2);
});

test('counters that restart keep what was counted here and not yet taken, once', () => {
  const counters = createCounters();
  const send = () =>
    counters.record(
      { account_id: ACCOUNT, prefix: '+1202555', country: 'US', client: CLIENT },
      'sent',
      MINUTE * 60_000,
    );
  const sentTo = (prefix: string) => inDay(counters.find(ACCOUNT, 'prefix', prefix), 'sent', MINUTE);
  send();
  counters.takeDeltas();
  send();
  send();
  expect(sentTo('+1202555')).toBe(3);
  counters.restart(MINUTE);
  expect(sentTo('+1202555')).toBe(2);
  counters.restart(MINUTE);
  expect(sentTo('+1202555')).toBe(2);
});

test('a prefix remembers few numbers, because its rules compare with two', () => {
  const counters = createCounters();
  for (let n = 0; n < 1_000; n++)
    counters.record(
      { account_id: ACCOUNT, prefix: '+1202555', country: 'US', client: null, recipient: `number ${n}` },
      'sent',
      MINUTE * 60_000,
    );
  expect(counters.find(ACCOUNT, 'prefix', '+1202555')?.recipients).toHaveLength(16);
});
