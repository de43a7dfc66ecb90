import { CARRIER_KIND_FACTS } from '@sixdigit/contract/operator/carrier-setups.ts';
import { expect, test } from 'vitest';
import { outcomeOf } from './outcome.ts';
import { reportsOf } from './reports.ts';

/**
 * What the error codes of WhatsApp and Telegram do to a message. `number`: the recipient is remembered as not reached, and a plan goes
 * on at once. `next`: a plan goes on at once. `retry`: the message is tried again until a plan's wait ends. `stop`: a plan goes on at
 * once, and after some of them the carrier gets no messages for a while.
 */
type Effect = 'number' | 'next' | 'retry' | 'stop';

function effectOf(kind: 'whatsapp' | 'telegram', status: number, body: object): Effect | undefined {
  const { label, preset } = CARRIER_KIND_FACTS[kind];
  if (!preset) throw new Error(`No preset ${kind}`);
  const response = { status, text: JSON.stringify(body), message: { code: '123456' } };
  const outcome = outcomeOf(preset.record, { label, kind }, response);
  if (outcome.kind !== 'refused') return undefined;
  if (outcome.reason === 'invalid_recipient') return 'number';
  if (outcome.temporary) return 'retry';
  return outcome.rest ? 'stop' : 'next';
}

test.each<[effect: Effect, status: number, codes: number[]]>([
  ['number', 400, [131026]],
  ['next', 400, [100, 131008, 131009, 131021, 131047, 131049, 131056, 130472, 132000, 132015, 132016]],
  ['next', 404, [132001]],
  // Only this country is closed.
  ['next', 403, [130497]],
  ['retry', 400, [4, 80007, 130429]],
  ['retry', 500, [131000, 131016, 131057]],
  ['retry', 503, [2, 133004]],
  ['stop', 401, [0, 190]],
  ['stop', 403, [10, 200, 368, 131005, 131031]],
  ['stop', 400, [131037, 131042, 131048, 133010]],
  ['stop', 500, [3, 131045]],
])('WhatsApp: %s is the effect of HTTP %i with the error codes %j', (effect, status, codes) => {
  for (const code of codes) {
    const body = { error: { message: 'Words of Meta', type: 'OAuthException', code, fbtrace_id: 'f1' } };
    expect([code, effectOf('whatsapp', status, body)]).toEqual([code, effect]);
  }
});

test.each<[effect: Effect, errors: string[]]>([
  ['number', ['PHONE_NUMBER_INVALID', 'PHONE_NUMBER_NOT_FOUND', 'PHONE_NUMBER_NOT_AVAILABLE']],
  ['next', ['CODE_INVALID', 'TTL_INVALID', 'PAYLOAD_INVALID', 'CALLBACK_URL_INVALID', 'SOMETHING_NEW']],
  ['retry', ['FLOOD_WAIT_30', 'FLOOD_WAIT']],
  ['stop', ['BALANCE_NOT_ENOUGH', 'ACCESS_TOKEN_INVALID', 'ACCESS_TOKEN_REQUIRED']],
  ['stop', ['SENDER_NOT_VERIFIED', 'SENDER_NOT_OWNED', 'SENDER_USERNAME_INVALID']],
])('Telegram: %s is the effect of the errors %j', (effect, errors) => {
  for (const error of errors)
    expect([error, effectOf('telegram', 200, { ok: false, error })]).toEqual([error, effect]);
});

test.each([
  [131026, 'no_whatsapp'],
  [131049, 'held_back_by_meta'],
  [130472, 'held_back_by_meta'],
  [131047, 'whatsapp_131047'],
  [131042, 'whatsapp_131042'],
])('a report of WhatsApp with the error code %i has the reason %s', (code, expected) => {
  const { preset } = CARRIER_KIND_FACTS.whatsapp;
  if (!preset?.record.reports) throw new Error('No reports');
  const statuses = [{ id: 'wamid.1', status: 'failed', errors: [{ code, title: 'Words of Meta' }] }];
  const body = { entry: [{ changes: [{ value: { statuses } }] }] };
  expect(reportsOf('whatsapp', preset.record.reports, body)).toMatchObject([
    { state: 'undelivered', reason: expected },
  ]);
});
