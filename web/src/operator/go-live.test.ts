import type { OperatorChannel } from '@sixdigit/contract/operator/carriers.ts';
import { expect, test } from 'vitest';
import { COUNTED_RULES } from '../protection/rule-values.ts';
import { stepsOf } from './GoLive.tsx';

const served = (by: Partial<Record<OperatorChannel['channel'], string>>): OperatorChannel[] =>
  (['sms', 'voice', 'email'] as const).map((channel) => ({
    channel,
    waiting: 0,
    oldest_seconds: 0,
    carriers: [{ name: by[channel] ?? 'sandbox' }] as OperatorChannel['carriers'],
    countries: [],
  }));
const rulesIn = (mode: string) =>
  Object.fromEntries(COUNTED_RULES.map((name) => [name, { mode }])) as never as Parameters<
    typeof stepsOf
  >[0]['rules'];

const doneIn = (
  channels: OperatorChannel[],
  { public_url = null, mode = 'monitor', cards = null }: Record<string, string | null> = {},
): string[] =>
  stepsOf({ overview: { channels, public_url }, rules: rulesIn(mode ?? ''), cards })
    .filter(({ isDone }) => isDone)
    .map(({ name }) => name);

test('a step to go live is done by the state of the deployment, and by nothing else', () => {
  expect(doneIn(served({}))).toEqual([]);
  expect(doneIn(served({ voice: 'twilio' }))).toEqual(['carrier']);
  expect(doneIn(served({ email: 'smtp' }))).toEqual(['mail']);
  expect(doneIn(served({}), { cards: 'pk_test_1' })).toEqual([]);
  expect(doneIn(served({}), { cards: 'pk_live_1' })).toEqual(['cards']);
  expect(doneIn(served({}), { mode: 'enforce' })).toEqual(['rules']);
  expect(doneIn(served({}), { public_url: 'http://otp.example.com' })).toEqual([]);
  expect(doneIn(served({}), { public_url: 'https://otp.example.com' })).toEqual(['public-url']);
});
