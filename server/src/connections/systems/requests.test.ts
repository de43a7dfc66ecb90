/** The exact requests of each system, in all of its versions. */

import { testConnection } from '@sixdigit/contract/connections.ts';
import { expect, test } from 'vitest';
import {
  basic,
  connectionStage,
  inJson,
  JSON_TYPE,
  supabaseSms,
  withKey,
  zitadelSms,
} from '../../../test/connection-stage.ts';
import { signedIn } from '../../../test/signed-in.ts';

const {
  service,
  alice,
  phone,
  code,
  nowMs,
  connected,
  change,
  listed,
  post,
  messagesTo,
  signed,
  signedByZitadel,
  requests,
} = connectionStage();

test('Supabase: old and new forms, two secrets, a changed number, and a replay are understood', async () => {
  const made = await connected('supabase');
  const { secret } = made;
  const [old, own] = [code(), code()];
  // Without metadata, and with a plus sign.
  const oldTo = phone();
  const oldBody = { user: { phone: oldTo }, sms: { otp: old } };
  expect((await post(made, signed([secret], oldBody))).text).toBe('{}');
  expect(await messagesTo(oldTo)).toMatchObject([{ code: old }]);
  // Newer: the number in sms.phone, and the signature of another secret first, joined with a comma and a space.
  const [newTo, another] = [phone(), 'v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
  const body = supabaseSms(phone(), own, {
    sms: { otp: own, sms_type: 'verification', phone: newTo.slice(1) },
  });
  const request = signed([another, secret], body);
  expect(request.headers['webhook-signature']).toContain('=, v1,');
  expect((await post(made, request)).status).toBe(200);
  expect(await messagesTo(newTo)).toMatchObject([{ code: own }]);
  // The same message in another attempt, with a new webhook-id, long after the code's life.
  await service.clock.advance(6 * 60_000);
  const late = await post(made, signed([secret], body));
  expect(late.headers['idempotent-replayed']).toBe('true');
  expect(await messagesTo(newTo)).toHaveLength(1);
  // Too old, too far in the future.
  for (const at of [nowMs() - 301_000, nowMs() + 301_000])
    expect((await post(made, signed([secret], supabaseSms(phone(), code()), at))).status).toBe(401);
});

test('Supabase: a refusal reaches the person, and an outage is retried', async () => {
  const made = await connected('supabase');
  const to = phone();
  for (let n = 0; n < 5; n += 1)
    expect((await post(made, signed([made.secret], supabaseSms(to, code())))).text).toBe('{}');
  const refused = (await post(made, signed([made.secret], supabaseSms(to, code())))).body();
  expect(refused.error.http_code).toBe(429);
  expect(refused.error.message).toMatch(
    /^Too many codes for this recipient\. Please try again in \d+ (second|minute)s?\.$/,
  );
  await expect.poll(async () => (await listed(made.id))?.last_used_at, { timeout: 5_000 }).not.toBeNull();
  await service.app.db.run('update balances set credits = 0 where account_id = $1', [alice.account_id]);
  const broke = await post(made, signed([made.secret], supabaseSms(phone(), code())));
  await service.app.db.run('update balances set credits = 5000 where account_id = $1', [alice.account_id]);
  expect(broke.body()).toEqual({
    error: { http_code: 400, message: 'Codes cannot be sent at the moment. Please try again later.' },
  });
  // The request log has our own status.
  await service.clock.advance(1_000);
  const logged = await service.app.db.rows(
    `select response_status_code as status, reason, channel from request_logs where api_key_id = $1 and reason is not null order by id`,
    [made.api_key_id],
  );
  expect(logged).toEqual([
    { status: 429, reason: 'recipient_rate_limited', channel: 'sms' },
    { status: 402, reason: 'insufficient_credits', channel: 'sms' },
  ]);
  await expect
    .poll(async () => (await listed(made.id))?.last_error, { timeout: 5_000 })
    .toBe('insufficient_credits');
});

test('Supabase: the e-mail hook sends to the address, and to both for a secured change', async () => {
  const made = await connected('supabase');
  const mail = (user: object, data: object) =>
    post(made, {
      ...signed([made.secret], { metadata: { uuid: crypto.randomUUID() }, user, email_data: data }),
      kind: 'email',
    });
  const token = code();
  expect((await mail({ email: 'ana@example.com' }, { token, email_action_type: 'magiclink' })).text).toBe(
    '{}',
  );
  expect(await messagesTo('ana@example.com')).toMatchObject([{ code: token }]);
  const [one, two] = [code(), code()];
  const changed = await mail(
    { email: 'old@example.com', new_email: 'new@example.com' },
    { token: one, token_new: two, email_action_type: 'email_change' },
  );
  expect(changed.text).toBe('{}');
  expect(await messagesTo('old@example.com')).toMatchObject([{ code: one }]);
  expect(await messagesTo('new@example.com')).toMatchObject([{ code: two }]);
});

test('Zitadel: the signing keys of both providers are valid at the same time', async () => {
  const made = await connected('zitadel');
  const [sms, email] = ['key-of-the-sms-provider', 'key-of-the-email-provider'];
  const enter = (secret: string) => change(made, { secret });
  expect((await enter(`${sms}, ${email}`)).status).toBe(200);
  for (const key of [sms, email])
    expect((await post(made, signedByZitadel(key, zitadelSms(phone(), code())))).status).toBe(200);
  const both = signedByZitadel(`${sms}, ${email}`, zitadelSms(phone(), code()));
  expect((await post(made, both)).status).toBe(401);
  const tested = await service.call(testConnection, {
    bearer: await signedIn(service, alice),
    params: { id: made.id },
    body: { recipient: phone() },
  });
  expect(tested.body).toMatchObject({ response: { status: 200 } });
  for (const invalid of [`${sms} ${email}`, `${sms}, short`, `${sms},`, `,${sms}`])
    expect((await enter(invalid)).body).toMatchObject({
      secret: [
        'Secret must have 16 to 200 visible characters. Separate two keys, of at least 16 each, with a comma.',
      ],
    });
});

test('Zitadel: both header names, its own key, e-mail, a stale signature and a notification without a code', async () => {
  const made = await connected('zitadel');
  const key = 'zitadel-signing-key-0123456789';
  expect((await change(made, { secret: key })).status).toBe(200);
  const send = (secret: string, body: object, more: object = {}) =>
    post(made, signedByZitadel(secret, body, more));
  const sent = code();
  expect((await send(key, zitadelSms(phone(), sent), { header: 'X-ZITADEL-Signature' })).status).toBe(200);
  expect((await send(made.secret, zitadelSms(phone(), code()))).status).toBe(200);
  expect((await send(key, zitadelSms(phone(), code()), { at: nowMs() - 301_000 })).status).toBe(401);
  const none = await send(key, { contextInfo: { recipientPhoneNumber: phone() }, args: {} });
  expect([none.status, none.body().reason]).toEqual([400, 'code_missing']);
  const mail = signedByZitadel(key, {
    contextInfo: { recipientEmailAddress: 'zoe@example.com', eventType: 'session.otp.email.challenged' },
    args: { code: 'AB12CD' },
  });
  expect((await post(made, { ...mail, kind: 'email' })).status).toBe(200);
  expect(await messagesTo('zoe@example.com')).toMatchObject([{ text: expect.stringContaining('AB12CD') }]);
});

test('Kratos: Basic credentials, a key in another header, and its whole data are understood', async () => {
  const made = await connected('kratos');
  const sent = code();
  const to = phone();
  const whole = {
    recipient: to,
    subject: '',
    body: `Your code is ${sent}`,
    template_type: 'verification_code_valid',
    template_data: { to, verification_code: sent, identity: {}, expires_in_minutes: 15 },
    message_type: 'sms',
  };
  expect((await post(made, inJson(basic('kratos', made.secret), whole))).status).toBe(200);
  expect(await messagesTo(to)).toMatchObject([{ code: sent }]);
  const byKey = withKey(made.secret, { recipient: phone(), code: code() });
  expect((await post(made, byKey)).status).toBe(200);
  const { seconds } = await service.app.db.one<{ seconds: number }>(
    'select extract(epoch from expires_at - created_at)::integer as seconds from verifications where recipient = $1',
    [to],
  );
  expect(seconds).toBe(900);
  const [configuration] = made.settings;
  // Without it, Kratos sends emails by SMTP.
  expect(configuration?.value).toContain('\n  delivery_strategy: http\n');
  const [, jsonnet = ''] = /base64:\/\/(\S+)/.exec(configuration?.value ?? '') ?? [];
  expect(Buffer.from(jsonnet, 'base64').toString()).toContain('function(ctx)');
});

test('authentik: Basic credentials, a version without Message, and a readable refusal', async () => {
  const made = await connected('authentik');
  const ask = (To: string, Body: string) =>
    post(made, inJson(basic('auth', made.secret), { From: 'x', To, Body }));
  expect((await ask(phone(), code())).status).toBe(200);
  expect((await ask(phone(), `Use this code: ${code()}`)).status).toBe(200);
  const refused = await ask('nobody', code());
  expect([refused.status, refused.type]).toEqual([400, 'text/plain; charset=utf-8']);
});

test('Keycloak: JSON with and without the token, an unescaped quote and a line break, and a text without a code', async () => {
  const made = await connected('keycloak');
  const [sent, to] = [code(), phone()];
  const unescaped = `{"key":"${made.secret}","text":"Your "secret" code\nis ${sent}","to":"${to}","from":"Keycloak"}`;
  expect((await post(made, { headers: JSON_TYPE, body: unescaped })).status).toBe(200);
  expect(await messagesTo(to)).toMatchObject([{ text: `Your "secret" code\nis ${sent}` }]);
  // Newer releases can add an id, and can send the token as a header with the name of its attribute.
  const [withId, idTo] = [code(), phone()];
  const newer = `{"key":"${made.secret}","uuid":"${crypto.randomUUID()}","text":"Your "secret" code is ${withId}","to":"${idTo}","from":"Keycloak"}`;
  expect((await post(made, { headers: JSON_TYPE, body: newer })).status).toBe(200);
  expect(await messagesTo(idTo)).toMatchObject([{ text: `Your "secret" code is ${withId}` }]);
  const inHeader = JSON.stringify({ text: `Code ${code()}`, to: phone(), from: 'x' });
  expect((await post(made, { headers: { ...JSON_TYPE, key: made.secret }, body: inHeader })).status).toBe(
    200,
  );
  expect((await post(made, { headers: { ...JSON_TYPE, key: 'x' }, body: inHeader })).status).toBe(401);
  const ask = (text: string, number = phone()) =>
    post(made, inJson(basic('keycloak', made.secret), { text, to: number, from: 'x' }));
  expect((await ask(`Code ${code()}`)).status).toBe(200);
  const none = await ask('Hello');
  expect([none.status, none.body().reason]).toEqual([400, 'code_missing']);
  expect((await ask('Codes 111111 and 222222')).body().reason).toBe('code_missing');
  const year = phone();
  expect((await ask('Code 314159, 26.11.2026', year)).status).toBe(200);
  expect(await messagesTo(year)).toMatchObject([{ code: '314159', text: 'Code 314159, 26.11.2026' }]);
});

test('Novu reads the id of a message, and Twilio gets its own shape', async () => {
  const novu = await connected('novu');
  const answer = await post(novu, requests.novu(novu, phone(), code()));
  expect(answer.body()).toEqual({ data: { id: answer.headers['x-otp-id'], date: expect.any(String) } });
  const twilio = await connected('twilio-messages');
  const sent = await post(twilio, requests['twilio-messages'](twilio, phone(), code()));
  expect(sent.body()).toMatchObject({
    sid: expect.stringMatching(/^SM[0-9a-f]{32}$/),
    status: 'queued',
    account_sid: `AC${twilio.id.replaceAll('-', '')}`,
    num_segments: '1',
    error_code: null,
    from: '+15005550006',
    body: expect.stringMatching(/^\d+ is your login code$/),
  });
  const { path, headers, body } = requests['twilio-messages'](twilio, phone(), code());
  const ofService = await post(twilio, { path, headers, body: `${body}&MessagingServiceSid=MG1` } as never);
  expect(ofService.body()).toMatchObject({ status: 'accepted', messaging_service_sid: 'MG1' });
  expect(twilio.endpoints).toEqual([{ kind: 'sms', url: `http://sixdigit.test/api/v1/in/${twilio.id}` }]);
  const wrong = requests['twilio-messages']({ ...twilio, secret: 'x' }, phone(), code());
  expect((await post(twilio, wrong)).body()).toMatchObject({ code: 20003, status: 401 });
});
