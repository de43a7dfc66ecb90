import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { listSessions } from '@sixdigit/contract/accounts/sessions.ts';
import { API_SCOPES, createApiKey } from '@sixdigit/contract/api-keys.ts';
import { createConnection } from '@sixdigit/contract/connections.ts';
import { createLimit } from '@sixdigit/contract/limits.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import {
  confirmSandboxPayment,
  createIntent,
  listPaymentMethods,
  listTransactions,
} from '@sixdigit/contract/payments.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { createSuppression } from '@sixdigit/contract/suppressions.ts';
import { createTemplate } from '@sixdigit/contract/templates.ts';
import { createWebhook, listWebhookAttempts } from '@sixdigit/contract/webhooks.ts';
import { expect } from 'vitest';
import type { Answer, CallInput } from './call.ts';
import { codeFor, type Person, person } from './person.ts';
import type { TestService } from './service.ts';

export const TEST_CARD = { number: '4242424242424242', exp_month: 12, exp_year: 2040, cvc: '123' };

/** An account that owns one row of every kind, all created through the API. */
export interface Owner extends Person {
  account_id: string;
  session_id: string;
  api_key: string;
  api_key_id: string;
  webhook_id: string;
  template_id: string;
  suppression_id: string;
  connection_id: string;
  limit_id: string;
  webhook_secret: string;
  message_id: string;
  attempt_id: string;
  /** a verified verification and an open one */
  verified_otp_id: string;
  open_otp_id: string;
  /** a verification with a code that the owner made */
  own_code_otp_id: string;
  recipient: string;
  payment_method_id: string;
  payment_intent_id: string;
  /** intent of a started purchase */
  client_secret: string;
  purchase_id: string;
}

/** `hookUrl` receives every event and should respond with 200. */
export async function owner(service: TestService, name: string, hookUrl: string): Promise<Owner> {
  const who = await person(service, name);
  const bearer = who.access;
  const must = async <R extends Route>(route: R, input: CallInput<R>): Promise<Answer<R>['body']> => {
    const { status, body } = await service.call(route, input);
    expect({ status, body }).toMatchObject({ status: route.status });
    return body;
  };
  const hook = await must(createWebhook, { bearer, body: { name: `Hook of ${name}`, url: hookUrl } });
  const key = await must(createApiKey, { bearer, body: { name: `Key of ${name}`, scopes: [...API_SCOPES] } });
  const connection = await must(createConnection, {
    bearer,
    body: { system: 'logto', name: `Logto of ${name}` },
  });
  const template = await must(createTemplate, {
    bearer,
    body: {
      name: `of-${name.toLowerCase()}`,
      texts: [{ channel: 'sms', locale: 'en', text: `${name}: {code}` }],
    },
  });
  const suppression = await must(createSuppression, {
    bearer,
    body: { recipient: `gone@${name.toLowerCase()}.example`, reason: 'hard_bounce' },
  });
  const limit = await must(createLimit, {
    bearer,
    body: { name: 'signup-ip', max_sends: 100, period_seconds: 60 },
  });
  await must(updateBranding, { bearer, body: { sender_name: `Shop of ${name}` } });

  const recipient = `customer-of-${name.toLowerCase()}@example.com`;
  const send = () => must(sendOtp, { apiKey: key.key, body: { channel: 'email', recipient } });
  const verified = await send();
  const code = await codeFor(service, recipient);
  await must(verifyOtp, { apiKey: key.key, body: { otp_id: verified.otp_id, code } });
  const open = await send();
  const own = await must(sendOtp, {
    apiKey: key.key,
    body: { channel: 'email', recipient, code: 'OWNC0DE' },
  });
  await service.drain();

  const price = { credits: 100, price_usd_cents: 200 };
  const bought = await must(createIntent, { bearer, body: { ...price, save_payment_method: true } });
  const paid = await must(confirmSandboxPayment, {
    bearer,
    body: { client_secret: bought.client_secret ?? '', card: TEST_CARD },
  });
  const begun = await must(createIntent, { bearer, body: { ...price, save_payment_method: false } });
  const { payment_methods } = await must(listPaymentMethods, { bearer });
  const { results: history } = await must(listTransactions, { bearer });
  const attempts = await must(listWebhookAttempts, { bearer, params: { id: hook.id } });
  const sessions = await must(listSessions, { bearer });
  const { account_id } = await service.app.db.one<{ account_id: string }>(
    'select account_id from api_keys where id = $1',
    [key.id],
  );
  return {
    ...who,
    account_id,
    session_id: sessions.results[0]?.id ?? '',
    api_key: key.key,
    api_key_id: key.id,
    webhook_id: hook.id,
    template_id: template.id,
    suppression_id: suppression.id,
    connection_id: connection.id,
    limit_id: limit.id,
    webhook_secret: hook.secret,
    attempt_id: attempts.results[0]?.id ?? '',
    message_id: attempts.results[0]?.message_id ?? '',
    verified_otp_id: verified.otp_id,
    open_otp_id: open.otp_id,
    own_code_otp_id: own.otp_id,
    recipient,
    payment_method_id: payment_methods[0]?.id ?? '',
    payment_intent_id: paid.payment_intent_id,
    client_secret: begun.client_secret ?? '',
    purchase_id: history.find(({ has_receipt }) => has_receipt)?.id ?? '',
  };
}
