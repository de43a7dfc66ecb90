import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { forgotPassword } from '@sixdigit/contract/accounts/passwords.ts';
import { refreshTokens, signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import {
  confirmPayment,
  confirmSandboxPayment,
  createIntent,
  createWithSaved,
  listPaymentMethods,
} from '@sixdigit/contract/payments.ts';
import { createWebhook } from '@sixdigit/contract/webhooks.ts';
import { expect } from 'vitest';
import type { CanaryStage, Somebody } from './canary-service.ts';
import { runSql } from './database-url.ts';

/** Payments with a test card, new and saved, repeated and declined. */
export async function payWithTestCards(stage: CanaryStage, somebody: Somebody): Promise<void> {
  const { watch, call, must } = stage;
  const bearer = somebody.access;
  const price = { credits: 100, price_usd_cents: 200 };
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' };
  watch('card number', card.number);
  const headers = { 'idempotency-key': 'purchase-1' };
  const body = { ...price, save_payment_method: true };
  const begun = await must(createIntent, { bearer, body, headers });
  await must(createIntent, { bearer, body, headers });
  const declined = { ...card, number: watch('card number', '4000000000000002') };
  const client_secret = begun.client_secret ?? '';
  await must(confirmSandboxPayment, { bearer, body: { client_secret, card: declined } });
  const paid = await must(confirmSandboxPayment, { bearer, body: { client_secret, card } });
  await must(confirmPayment, { bearer, body: { payment_intent_id: paid.payment_intent_id } });
  await call(confirmPayment, { bearer, body: { payment_intent_id: client_secret } });
  const { payment_methods } = await must(listPaymentMethods, { bearer });
  await must(createWithSaved, {
    bearer,
    body: { ...price, payment_method_id: payment_methods[0]?.id ?? '' },
  });
}

/** Database errors in the middle of requests. */
export async function breakTheDatabase(stage: CanaryStage, somebody: Somebody): Promise<void> {
  const { service, receiver, watch, call, arrived } = stage;
  const { email, apiKey, access: bearer } = somebody;
  const tables = ['verifications', 'challenges', 'sessions', 'api_keys', 'webhook_endpoints', 'recipients'];
  // Refuses every row with an error that quotes it.
  await runSql(
    service.databaseUrl,
    `create function refuse_row() returns trigger language plpgsql as $$
       begin raise exception 'refused' using detail = new::text, hint = current_query(); end $$;
     ${tables.map((name) => `create trigger refused before insert or update on ${name} for each row execute function refuse_row();`).join('\n')}`,
  );
  const statuses = [
    await call(signIn, { body: { email, password: somebody.password } }),
    await call(refreshTokens, { body: { refresh: somebody.refresh } }),
    await call(forgotPassword, { body: { email } }),
    await call(createApiKey, { bearer, body: { name: 'Never made' } }),
    await call(createWebhook, {
      bearer,
      body: {
        name: 'Never made',
        url: receiver.at('/ok'),
        secret: watch('webhook secret', 'canary-of-no-endpoint'),
      },
    }),
    await call(sendOtp, { apiKey, body: { channel: 'email', recipient: 'never@m.test' } }),
    await call(verifyOtp, {
      apiKey,
      body: { otp_id: service.app.random.uuid(), code: await arrived('fine@m.test') },
    }),
  ].map(({ status }) => status);
  expect(statuses.filter((status) => status === 500).length).toBeGreaterThan(4);
  await runSql(service.databaseUrl, tables.map((name) => `drop trigger refused on ${name};`).join('\n'));
  await runSql(
    service.databaseUrl,
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  );
  await call(signIn, { body: { email, password: somebody.password } });
  await expect.poll(async () => (await call(getMe, { bearer })).status).toBe(200);
}
