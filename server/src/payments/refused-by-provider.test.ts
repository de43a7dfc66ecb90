import { createIntent, createWithSaved } from '@sixdigit/contract/payments.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { priced, stripeShop } from '../../test/payments.ts';
import { checkPayments } from '../operations/commands/doctor/payments.ts';

const shop = fixture(stripeShop);

const says = async () => (await checkPayments(shop.service.app.db)).map(({ says }) => says).join('\n');

test.each([
  ['a request that Stripe does not accept', 400, 'invalid_request_error', 'Cards are not enabled.'],
  ['a wrong key', 401, 'invalid_request_error', 'Invalid API Key provided: sk_test_****abcd'],
  ['a key without the permission', 403, 'invalid_request_error', 'The key lacks a permission.'],
] as const)(
  '%s: the customer reads that the fault is ours, the operator the cause',
  async (_, status, type, message) => {
    const alice = await shop.service.customer(`Alice${status}`, { credits: 0 });
    shop.stripe.faults.add({
      on: 'POST /v1/payment_intents',
      kind: 'error',
      status,
      error: { type, message },
    });
    const answer = await shop.as(alice, createIntent, { body: priced(100) });
    expect(answer).toMatchObject({
      status: 502,
      body: {
        reason: 'payment_provider_refused',
        error:
          'We could not start the payment because of a fault on our side. Nothing was charged. Please contact support.',
      },
    });
    expect(JSON.stringify(answer.body)).not.toContain(message);
    expect(shop.service.logLines.findLast((line) => line.includes('refused a request'))).toContain(message);
    expect(await says()).toContain(`${message} (HTTP ${status}`);
    await shop.buy(alice, 100);
    expect(await says()).not.toContain(message);
  },
);

test('a card that Stripe declines before creating an intent is reported as a declined card', async () => {
  const bob = await shop.service.customer('Bob', { credits: 0 });
  await shop.buy(bob, 100);
  const error = { type: 'card_error', code: 'card_declined', message: 'Your card was declined.' } as const;
  shop.stripe.faults.add({ on: 'POST /v1/payment_intents', kind: 'error', status: 402, error });
  const body = { ...priced(100), payment_method_id: await shop.card(bob) };
  expect(await shop.as(bob, createWithSaved, { body })).toMatchObject({
    status: 402,
    body: { reason: 'card_declined', error: 'Your card was declined.' },
  });
  expect(await says()).not.toContain('declined');
});
