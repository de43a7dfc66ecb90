import { sendOtp } from '@sixdigit/contract/otp.ts';
import { confirmSandboxPayment } from '@sixdigit/contract/payments.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { sandboxShop } from '../../test/payments.ts';
import type { Customer } from '../../test/service.ts';

const shop = fixture(sandboxShop);

const threshold = (of: Customer, credits: number | null) =>
  shop.service.app.db.run('update accounts set low_balance_threshold = $2 where id = $1', [
    of.account_id,
    credits,
  ]);
const send = (of: Customer, recipient: string) =>
  shop.service.call(sendOtp, { body: { channel: 'email', recipient }, apiKey: of.api_key });

test('a balance falling below the threshold sends one notice, and another only after a recovery', async () => {
  const alice = await shop.service.customer('Alice', { credits: 11 });
  await threshold(alice, 10);
  await send(alice, 'a@example.com');
  expect(await shop.subjects(alice)).toEqual([]);
  await send(alice, 'b@example.com');
  expect(await shop.subjects(alice)).toEqual(['Your credits are running low']);
  await send(alice, 'c@example.com');
  await send(alice, 'd@example.com');
  expect((await shop.subjects(alice)).length).toBe(1);

  const secret = await shop.intent(alice, 25);
  await shop.as(alice, confirmSandboxPayment, {
    body: {
      client_secret: secret,
      card: { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' },
    },
  });
  expect((await shop.subjects(alice)).length).toBe(1);
  await threshold(alice, 40);
  expect((await shop.subjects(alice)).length).toBe(2);
  await shop.service.drain();
  expect((await shop.subjects(alice)).length).toBe(2);
});

test('without a threshold, no notice about a low balance is sent', async () => {
  const bob = await shop.service.customer('Bob', { credits: 0 });
  expect(await shop.subjects(bob)).toEqual([]);
});
