import { beforeEach, describe, expect, test } from 'vitest';
import { type Breakers, createBreakers } from './breaker.ts';
import type { Carrier, Outcome } from './carrier.ts';

const carrier = (name: string): Carrier => ({
  name,
  channels: ['sms', 'voice'],
  dispatch: () => Promise.reject(new Error('not called')),
});
const first = carrier('first');
const second = carrier('second');
const both = [first, second];

const accepted: Outcome = { kind: 'accepted', provider_message_id: null };
const badNumber: Outcome = { kind: 'refused', reason: 'invalid_recipient', detail: '', final: true };
const broken: Outcome = { kind: 'refused', reason: 'carrier_error', detail: '', rest: true };
const lost: Outcome = { kind: 'uncertain', reason: 'carrier_timeout', detail: '' };
const canceled: Outcome = { kind: 'uncertain', reason: 'canceled', detail: '' };

let breakers: Breakers;
let seconds: number;
const at = () => new Date(1_700_000_000_000 + seconds * 1000);
const call = (outcome: Outcome, which = first) => breakers.admit(which, 'sms', at())?.report(outcome, at());
const healthy = () => breakers.healthyOrder(both, 'sms', at()).map(({ name }) => name);

beforeEach(() => {
  breakers = createBreakers();
  seconds = 0;
});

test('the circuit breaker does not change the order of healthy carriers', () => {
  expect(healthy()).toEqual(['first', 'second']);
});

test.each([
  ['refusals of the carrier itself', broken],
  ['lost answers', lost],
])('the circuit breaker opens after five %s in a row', (_, failure) => {
  for (let failures = 1; failures <= 4; failures++) call(failure);
  expect(healthy()).toEqual(['first', 'second']);
  call(failure);
  expect(healthy()).toEqual(['second']);
});

test('the circuit breaker opens if half of at least twenty calls within thirty seconds fail', () => {
  for (let calls = 1; calls <= 18; calls++) call(calls % 2 ? accepted : broken);
  call(accepted);
  expect(healthy()).toEqual(['first', 'second']);
  call(broken);
  expect(healthy()).toEqual(['second']);
});

test('the circuit breaker ignores calls older than thirty seconds', () => {
  for (let calls = 1; calls <= 18; calls++) call(calls % 2 ? accepted : broken);
  seconds = 31;
  call(accepted);
  call(broken);
  expect(healthy()).toEqual(['first', 'second']);
});

test('the circuit breaker never opens because of invalid numbers', () => {
  for (let calls = 1; calls <= 100; calls++) call(badNumber);
  expect(healthy()).toEqual(['first', 'second']);
});

test('the circuit breaker ignores canceled dispatches', () => {
  for (let calls = 1; calls <= 100; calls++) call(canceled);
  expect(healthy()).toEqual(['first', 'second']);
});

test('the circuit breaker tracks each carrier and channel separately', () => {
  for (let failures = 1; failures <= 5; failures++) call(broken);
  expect(breakers.isOpen(first, 'sms')).toBe(true);
  expect(breakers.isOpen(first, 'voice')).toBe(false);
  expect(breakers.isOpen(second, 'sms')).toBe(false);
});

describe('an open breaker', () => {
  beforeEach(() => {
    for (let failures = 1; failures <= 5; failures++) call(broken);
  });

  test('an open circuit breaker blocks all calls for ten seconds, then allows one probe', () => {
    seconds = 9;
    expect(breakers.admit(first, 'sms', at())).toBeUndefined();
    seconds = 10;
    expect(healthy()).toEqual(['first', 'second']);
    expect(breakers.admit(first, 'sms', at())).toBeDefined();
    expect(breakers.admit(first, 'sms', at())).toBeUndefined();
    expect(healthy()).toEqual(['second']);
  });

  test('an open circuit breaker closes and resets its counts when the probe succeeds', () => {
    seconds = 10;
    call(accepted);
    expect(breakers.isOpen(first, 'sms')).toBe(false);
    for (let failures = 1; failures <= 4; failures++) call(broken);
    expect(healthy()).toEqual(['first', 'second']);
  });

  test('an open circuit breaker waits ten more seconds when the probe fails', () => {
    seconds = 10;
    call(lost);
    seconds = 19;
    expect(healthy()).toEqual(['second']);
    seconds = 20;
    expect(healthy()).toEqual(['first', 'second']);
  });

  test('an open circuit breaker probes again if a probe never completes', () => {
    seconds = 10;
    breakers.admit(first, 'sms', at());
    seconds = 20;
    expect(breakers.admit(first, 'sms', at())).toBeDefined();
  });
});

test('a call that began before the circuit breaker opened does not affect its state', () => {
  const slow = breakers.admit(first, 'sms', at());
  for (let failures = 1; failures <= 5; failures++) call(broken);
  slow?.report(accepted, at());
  expect(breakers.isOpen(first, 'sms')).toBe(true);
});
