import { afterAll, describe, expect, test } from 'vitest';
import { deleteMe, getMe, updateProfile, updateTwoFactor } from '#contract/accounts.ts';
import { createApiKey, deleteApiKey } from '#contract/api-keys.ts';
import { updateBranding } from '#contract/branding.ts';
import { getVerification, listVerifications, sendOtp, verifyOtp } from '#contract/otp.ts';
import { changePassword, forgotPassword, resetPassword } from '#contract/passwords.ts';
import {
  confirmPayment,
  confirmSandboxPayment,
  createIntent,
  createWithSaved,
  listPaymentMethods,
} from '#contract/payments.ts';
import { API_BASE, type Route } from '#contract/route.ts';
import { routes } from '#contract/routes.ts';
import {
  refreshTokens,
  resendTwoFactor,
  signIn,
  signOut,
  signUp,
  verifyTwoFactor,
} from '#contract/sign-in.ts';
import {
  createWebhook,
  listWebhookAttempts,
  replayWebhookMessage,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from '#contract/webhooks.ts';
import { redact } from '../src/platform/log.ts';
import { hunt, type Place, placesOfLog, placesOfRows } from './canary-hunt.ts';
import { startCanaryService } from './canary-service.ts';
import { runSql } from './database-url.ts';
import { numberOf } from './fakes/behaviour.ts';
import { dumpTables } from './table-dump.ts';

/**
 * Uses every feature with recognisable secrets: secrets that people enter, that the service generates, and that
 * reach carriers and endpoints. Afterwards no log line, no table row and no undocumented response may contain one.
 */
const {
  service,
  twilio,
  gateway,
  receiver,
  canaries,
  answers,
  watch,
  call,
  must,
  arrived,
  learnCodes,
  close,
} = await startCanaryService();
afterAll(close);

/** The calls whose response may show a secret to its owner. */
const SHOWN: Record<string, readonly string[]> = {
  'access token': ['signIn', 'verifyTwoFactor', 'refreshTokens'],
  'refresh token': ['signIn', 'verifyTwoFactor', 'refreshTokens'],
  'session token': ['signUp', 'signIn', 'forgotPassword', 'updateTwoFactor'],
  'API key': ['createApiKey'],
  'webhook secret': ['createWebhook', 'rotateWebhookSecret'],
  'client secret': ['createIntent', 'createWithSaved'],
  'webhook address': ['createWebhook', 'updateWebhook', 'listWebhooks'],
};
/** A webhook's URL is stored in plain text because the service calls it. The client secrets of test cards protect no money. */
const KEPT: Record<string, readonly string[]> = {
  'webhook address': ['webhook_endpoints'],
  'client secret': ['sandbox_intents'],
};

const MINUTE = 60_000;
const password = (name: string) => watch('password', `canary ${name} likes her password`);
const somebody = {
  email: 'ana@people.test',
  phone_number: '4155550101',
  password: '',
  access: '',
  refresh: '',
  apiKey: '',
};

describe('the life of an account', () => {
  test('signing up, in and out, with and without a code, wrong and right', async () => {
    somebody.password = password('ana');
    const { email, phone_number } = somebody;
    const started = await must(signUp, {
      body: { email, phone_number, password: somebody.password, confirm_password: somebody.password },
    });
    const code = await arrived(email);
    await must(signUp, {
      body: { email, phone_number, password: somebody.password, confirm_password: somebody.password },
    });
    await call(signUp, {
      body: { email, phone_number, password: password('mismatch'), confirm_password: password('other') },
    });
    const session_token = started.session_token ?? '';
    await call(verifyTwoFactor, { body: { session_token, code: 'abcdef' } });
    await call(resendTwoFactor, { body: { session_token } });
    Object.assign(somebody, await must(verifyTwoFactor, { body: { session_token, code } }));
    await call(verifyTwoFactor, { body: { session_token, code } });

    await call(signIn, { body: { email, password: password('a typo of') } });
    const other = await must(signIn, { body: { email, password: somebody.password } });
    const next = await must(refreshTokens, { body: { refresh: other.refresh ?? '' } });
    await service.clock.advance(MINUTE);
    // Reused: the family ends.
    await call(refreshTokens, { body: { refresh: other.refresh ?? '' } });
    await call(refreshTokens, { body: { refresh: next.refresh } });
    const last = await must(signIn, { body: { email, password: somebody.password } });
    await must(signOut, { body: { refresh: last.refresh ?? '' } });
  });

  test('settings, two-factor by SMS, a reset and a change of password', async () => {
    const { email } = somebody;
    let bearer = somebody.access;
    await must(updateProfile, { bearer, body: { first_name: 'Ana', last_name: 'Banana' } });
    const to = '+14155550102';
    const wanted = {
      two_factor_enabled: true,
      two_factor_method: 'sms' as const,
      phone_number: to,
      current_password: somebody.password,
    };
    await call(updateTwoFactor, { bearer, body: { ...wanted, current_password: password('not the right') } });
    const { session_token = '' } = await must(updateTwoFactor, { bearer, body: wanted });
    await must(updateTwoFactor, { bearer, body: { ...wanted, session_token, code: await arrived(to) } });

    await service.clock.advance(MINUTE);
    const waiting = await must(signIn, { body: { email, password: somebody.password } });
    const code = await arrived(to);
    await must(verifyTwoFactor, { body: { session_token: waiting.session_token ?? '', code } });

    const reset = await must(forgotPassword, { body: { email } });
    await must(forgotPassword, { body: { email: 'nobody@people.test' } });
    const fresh = password('after the reset ana');
    await arrived(email);
    expect(canaries.some(({ kind }) => kind === 'reset link')).toBe(true);
    await must(resetPassword, {
      body: {
        session_token: reset.session_token,
        code: await arrived(email),
        password: fresh,
        confirm_password: fresh,
      },
    });
    const again = await must(signIn, { body: { email, password: fresh } });
    Object.assign(
      somebody,
      await must(verifyTwoFactor, {
        body: { session_token: again.session_token ?? '', code: await arrived(to) },
      }),
    );
    bearer = somebody.access;
    somebody.password = password('after the change ana');
    await must(changePassword, {
      bearer,
      body: {
        current_password: fresh,
        password: somebody.password,
        confirm_password: somebody.password,
      },
    });
    await must(updateBranding, {
      bearer,
      body: { sender_name: 'Ana’s shop', default_otp_length: 8, default_message: 'Use {code}, only {code}.' },
    });
  });

  test('keys, endpoints that fail and echo their requests, secrets generated, chosen and rotated', async () => {
    const bearer = somebody.access;
    const key = await must(createApiKey, { bearer, body: { name: 'Key of Ana' } });
    somebody.apiKey = key.key;
    const own = watch('webhook secret', 'canary-of-a-secret-of-her-own');
    const token = watch('webhook address', 'canary-in-an-address');
    const hook = { name: 'Hook', url: receiver.at(`/echo?token=${token}`) };
    const echo = await must(createWebhook, { bearer, body: { ...hook, secret: own } });
    const made = await must(createWebhook, { bearer, body: { ...hook, url: receiver.at('/ok') } });
    await must(rotateWebhookSecret, { bearer, params: { id: made.id } });
    await must(updateWebhook, {
      bearer,
      params: { id: echo.id },
      body: { ...hook, secret: watch('webhook secret', 'canary-of-her-second-secret') },
    });
    await call(createWebhook, {
      bearer,
      body: { ...hook, secret: `whsec_${watch('webhook secret', 'canary!of!no!base64')}` },
    });
    await call(createWebhook, { bearer, body: { ...hook, url: `ftp://u:${token}@127.0.0.1/` } });
    await must(createWebhook, { bearer, body: { ...hook, url: `http://127.0.0.1:1/${token}` } });
    await must(testWebhook, { bearer, params: { id: echo.id } });
    await must(testWebhook, { bearer, params: { id: made.id } });
  });

  test('codes on every channel, through carriers that refuse, disconnect, echo and report', async () => {
    const { apiKey } = somebody;
    const sent = new Map<string, string>();
    const send = async (channel: 'sms' | 'voice' | 'email', recipient: string) => {
      const { otp_id } = await must(sendOtp, { apiKey, body: { channel, recipient } });
      sent.set(recipient, otp_id);
      return otp_id;
    };
    for (const recipient of [
      ...['echo', 'refuse', 'defer', 'reject', 'busy', 'drop', 'reset', 'fine'].map((one) => `${one}@m.test`),
    ])
      await send('email', recipient);
    const { hang: _slow, slow: _late, ...numbers } = numberOf;
    for (const number of Object.values(numbers)) await send('sms', number);
    await send('voice', '+14155550103');
    await service.drain();
    learnCodes();
    for (const after of [11_000, MINUTE]) {
      await service.clock.advance(after);
      await service.drain();
      learnCodes();
    }
    for (const message of twilio.messages.filter(({ statusCallback }) => statusCallback).slice(0, 3))
      await twilio.report(message, message.kind === 'call' ? 'busy' : 'undelivered', { errorCode: 30003 });
    for (const message of gateway.messages)
      await gateway.report(message, 'failed', { reason: `code_${message.code}` });
    const spoken = await arrived('+14155550103');
    expect(spoken).toMatch(/^\d{8}$/);
    await twilio.text(`${service.app.config.publicUrl}${API_BASE}/carriers/twilio/inbound/`, {
      from: '+14155550104',
      body: `I got ${spoken}, what is it?`,
    });
    expect(canaries.filter(({ kind }) => kind === 'code').length).toBeGreaterThan(12);

    const code = await arrived('fine@m.test');
    const otp_id = sent.get('fine@m.test') ?? '';
    const headers = { 'idempotency-key': 'verify-1' };
    await call(verifyOtp, { apiKey, body: { otp_id, code: `${code} or so` } });
    await call(verifyOtp, { apiKey, body: { otp_id: code, code } });
    await call(verifyOtp, { apiKey, body: { otp_id, code: code === '00000000' ? '1' : '00000000' } });
    await must(verifyOtp, { apiKey, body: { otp_id, code }, headers });
    await must(verifyOtp, { apiKey, body: { otp_id, code }, headers });
    await call(verifyOtp, { apiKey, body: { otp_id, code } });
    // A code typed into the wrong field.
    await call(sendOtp, { apiKey, body: { channel: code, recipient: 'fine@m.test' } as never });
    await call(verifyOtp, { apiKey: somebody.access, body: { otp_id, code } });
  });

  test('payments with a test card, new and saved, repeated and declined', async () => {
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
  });

  test('database errors in the middle of requests', async () => {
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
  });

  test('reads of every list and detail, and the deletion of one account', async () => {
    await service.drain();
    const { access: bearer, apiKey } = somebody;
    const verifications = await must(listVerifications, { bearer, query: { page_size: 100 } });
    for (const { id } of verifications.results) await must(getVerification, { bearer, params: { id } });
    const { results: hooks } = (await must(routes.find(({ name }) => name === 'listWebhooks') as Route, {
      bearer,
    })) as unknown as { results: { id: string }[] };
    for (const { id } of hooks) {
      const { results } = await must(listWebhookAttempts, {
        bearer,
        params: { id },
        query: { page_size: 100 },
      });
      const [attempt] = results;
      if (attempt?.otp_id)
        await must(replayWebhookMessage, { bearer, params: { id, message_id: attempt.message_id } });
    }
    await service.drain();
    for (const route of routes.filter(
      ({ method, path, stream }) => method === 'GET' && !path.includes(':') && stream !== 'text/event-stream',
    ))
      await must(route, { bearer, apiKey });
    for (const url of [
      '/metrics',
      '/config.json',
      '/readyz',
      '/sandbox/messages',
      `${API_BASE}/openapi.json`,
    ]) {
      const { body } = await service.inject({ url, headers: { host: 'localhost' } });
      answers.push({ name: url, text: body, route: url });
    }
    const keys = await service.app.db.rows<{ id: string }>('select id from api_keys');
    for (const { id } of keys) await call(deleteApiKey, { bearer, params: { id } });
    // Everything but what an account leaves behind is dumped twice: before it goes, and after.
    before = placesOfRows(await dumpTables(service.app.db));
    await call(deleteMe, { bearer, body: { password: password('not quite') } });
    await must(deleteMe, { bearer, body: { password: somebody.password } });
    await service.drain();
    await service.app.requestLog.flush();
    learnCodes();
  });
});
let before: Place[];

describe('after the life of an account', () => {
  test('no line of the log contains a secret, at any level', () => {
    expect(service.logLines.length).toBeGreaterThan(20);
    expect(hunt(canaries, placesOfLog(service.logLines))).toEqual([]);
  });

  test('the terminal output contains no secret', () => {
    expect(hunt(canaries, placesOfLog(service.printed))).toEqual([]);
  });

  test('no response contains a secret unless the contract documents it', () => {
    expect(answers.length).toBeGreaterThan(100);
    const found = answers.flatMap((answer) =>
      hunt(
        canaries.filter(({ kind }) => !SHOWN[kind]?.includes(answer.route)),
        [answer],
      ),
    );
    expect(found).toEqual([]);
  });

  test('no row of any table contains a secret, as text or as bytes', async () => {
    const rows = [...before, ...placesOfRows(await dumpTables(service.app.db))];
    expect(rows.length).toBeGreaterThan(200);
    const found = rows.flatMap((row) =>
      hunt(
        canaries.filter(({ kind }) => !KEPT[kind]?.some((table) => row.name === `table ${table}`)),
        [row],
      ),
    );
    expect(found).toEqual([]);
  });

  test('the search finds a planted secret', async () => {
    const { db } = service.app;
    for (const canary of canaries) {
      const [row] = await db.rows<{ text: string; bytes: string }>(
        `select row($1::text, clock_now())::text as text, row(convert_to($1, 'UTF8'))::text as bytes`,
        [canary.text],
      );
      const planted = [
        {
          name: 'log',
          text: JSON.stringify({ msg: `took ${canary.text} ms`, at: new Date().toISOString() }),
        },
        { name: 'row', text: row?.text ?? '' },
        { name: 'bytes', text: row?.bytes ?? '' },
      ];
      for (const place of planted) expect(hunt([canary], [place]), place.text).toHaveLength(1);
    }
    const times = placesOfLog([
      '2026-11-21 05:01:34.123456+00',
      '0199e0a0-1234-7000-8000-000000123456',
      '\\x00123456',
    ]);
    expect(hunt([{ kind: 'code', text: '123456' }], times)).toEqual([]);
    expect(JSON.stringify(redact({ deep: { password: 'x' } }))).toContain('[redacted]');
  });
});
