import { createHmac } from 'node:crypto';
import { listConnections, type SystemName } from '@sixdigit/contract/connection-list.ts';
import {
  createConnection,
  type NewConnection,
  rotateConnection,
  testConnection,
  updateConnection,
} from '@sixdigit/contract/connections.ts';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { fixture } from '../../test/fixture.ts';
import { type Sender, sender } from '../../test/sender.ts';
import { signedIn } from '../../test/signed-in.ts';

/** The exact requests of each system: what arrives is sent once, and refusals are in the system's own form. */
const service = fixture(() => serviceWithCarriers(['http'], { ALLOWED_COUNTRIES: '*' }));
const alice = fixture(() => sender(service, 'Alice', { credits: 5_000, keys: 1 }));

/** An account can have 50 connections. */
afterEach(async () => {
  const { db } = service.app;
  await db.run('delete from connections');
  await db.run(
    `update api_keys set deleted_at = clock_now() where kind = 'connection' and deleted_at is null`,
  );
});

let count = 0;
const phone = () => `+1415555${String(6000 + ++count)}`;
const code = () => String(100_000 + ++count);

const connected = async (
  system: SystemName,
  more: object = {},
  who: Sender = alice,
): Promise<NewConnection> => {
  const made = await service.call(createConnection, {
    bearer: await signedIn(service, who),
    body: { system, name: `${system} ${++count}`, ...more },
  });
  expect(made.status).toBe(201);
  return made.body;
};

interface Request {
  headers: Record<string, string>;
  body: string;
  path?: string;
  kind?: string;
}

async function post({ id }: { id: string }, { headers, body, path, kind = 'sms' }: Request) {
  const answer = await service.inject({
    method: 'POST',
    url: `/api/v1/in/${id}/${path ?? kind}`,
    headers,
    payload: body,
  });
  return {
    status: answer.statusCode,
    type: String(answer.headers['content-type']),
    headers: answer.headers,
    text: answer.body,
    body: () => JSON.parse(answer.body),
  };
}

const messagesTo = async (recipient: string) => {
  await service.drain();
  return service.http.messages.filter((message) => message.recipient === recipient);
};

const JSON_TYPE = { 'content-type': 'application/json' };
const nowMs = () => service.app.clock.now().getTime();

// ── each system's request, signed and with its secret ──

/** GoTrue strips the plus sign, sends a new webhook-id in each attempt, and joins signatures with a comma and a space. */
const supabaseRequest = (
  secrets: string[],
  body: object,
  { at = nowMs(), id = crypto.randomUUID() as string }: { at?: number; id?: string } = {},
): Request => {
  const text = JSON.stringify(body);
  const signatures = secrets.map((secret) =>
    new Webhook(secret.replace(/^v1,whsec_/, '')).sign(id, new Date(at), text),
  );
  return {
    headers: {
      ...JSON_TYPE,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at / 1000)),
      'webhook-signature': signatures.join(', '),
      'accept-encoding': 'identity',
    },
    body: text,
  };
};
const supabaseSms = (to: string, otp: string, more: object = {}) => ({
  metadata: {
    uuid: crypto.randomUUID(),
    time: '2026-11-26T00:00:00Z',
    name: 'send-sms',
    ip_address: '203.0.113.7',
  },
  user: {
    id: crypto.randomUUID(),
    aud: 'authenticated',
    role: 'authenticated',
    email: '',
    phone: to.replace('+', ''),
    app_metadata: { provider: 'phone', providers: ['phone'] },
    user_metadata: {},
    identities: [],
  },
  sms: { otp },
  ...more,
});

const zitadelRequest = (
  secret: string,
  body: object,
  { header = 'ZITADEL-Signature', at = nowMs() } = {},
): Request => {
  const text = JSON.stringify(body);
  const seconds = Math.floor(at / 1000);
  const mac = createHmac('sha256', secret).update(`${seconds}.`).update(text).digest('hex');
  return { headers: { ...JSON_TYPE, [header.toLowerCase()]: `t=${seconds},v1=${mac}` }, body: text };
};
const zitadelSms = (to: string, sent: string) => ({
  contextInfo: {
    recipientPhoneNumber: to,
    eventType: 'user.human.phone.code.added',
    provider: { id: '1', description: 'Sixdigit' },
  },
  templateData: { title: 'Verify phone', text: `Use ${sent} to verify …`, url: 'https://id.example.com/ui' },
  args: { code: sent, domain: 'id.example.com', userName: 'ana', expiry: 3_600_000_000_000 },
});

const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** As Standard Webhooks says. */
function signedRequest(secret: string, fields: object): Request {
  const body = JSON.stringify(fields);
  const [id, at] = [`msg_${crypto.randomUUID()}`, new Date(nowMs())];
  return {
    headers: {
      ...JSON_TYPE,
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    },
    body,
  };
}

/** The usual request of each system for a message. */
const REQUESTS: Record<SystemName, (made: NewConnection, to: string, sent: string) => Request> = {
  supabase: ({ secret }, to, sent) => supabaseRequest([secret], supabaseSms(to, sent)),
  zitadel: ({ secret }, to, sent) => zitadelRequest(secret, zitadelSms(to, sent)),
  kratos: ({ secret }, to, sent) => ({
    headers: { ...JSON_TYPE, authorization: `Bearer ${secret}` },
    body: JSON.stringify({
      recipient: to,
      channel: 'sms',
      purpose: 'login_code_valid',
      code: sent,
      expires_in: 900,
    }),
  }),
  logto: ({ secret }, to, sent) => ({
    headers: { ...JSON_TYPE, authorization: secret },
    body: JSON.stringify({
      to: to.replace('+', ''),
      type: 'SignIn',
      payload: { code: sent, locale: 'en' },
      ip: 'x',
    }),
  }),
  authentik: ({ secret }, to, sent) => ({
    headers: { ...JSON_TYPE, authorization: `Bearer ${secret}` },
    body: JSON.stringify({
      From: 'authentik',
      To: to,
      Body: sent,
      Message: `Use this code to authenticate in authentik: ${sent}`,
    }),
  }),
  keycloak: ({ secret }, to, sent) => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      key: secret,
      text: `Your SMS code is ${sent} and is valid for 5 minutes.`,
      to,
      from: 'Keycloak',
    }).toString(),
  }),
  fusionauth: ({ secret }, to, sent) => ({
    headers: { ...JSON_TYPE, authorization: basic('sixdigit', secret) },
    body: JSON.stringify({ phoneNumber: to, textMessage: `Your two-factor code is: ${sent}` }),
  }),
  novu: ({ secret }, to, sent) => ({
    headers: { ...JSON_TYPE, 'x-api-key': secret },
    body: JSON.stringify({ sender: 'Shop', to, content: `Shop: ${sent} is your code` }),
  }),
  webhook: ({ secret }, to, sent) =>
    signedRequest(secret, { recipient: to, channel: 'sms', code: sent, extra: { of: 'tomorrow' } }),
  'twilio-messages': ({ id, secret }, to, sent) => {
    const sid = `AC${id.replaceAll('-', '')}`;
    return {
      path: `2010-04-01/Accounts/${sid}/Messages.json`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: basic(sid, secret) },
      body: new URLSearchParams({
        To: to,
        From: '+15005550006',
        Body: `${sent} is your login code`,
      }).toString(),
    };
  },
};
const SYSTEMS = Object.keys(REQUESTS) as SystemName[];

describe.each(SYSTEMS)('%s', (system) => {
  test('a request is sent, and its retries send nothing more and cost nothing', async () => {
    const made = await connected(system);
    const [to, sent] = [phone(), code()];
    const before = await alice.balance();
    const request = REQUESTS[system](made, to, sent);
    const first = await post(made, request);
    expect([first.status, first.text]).toEqual([system === 'twilio-messages' ? 201 : 200, first.text]);
    expect(first.type).toMatch(/^application\/json/);
    const again = await post(made, request);
    // A retry that the system builds anew, with another signature.
    const retried = await post(made, REQUESTS[system](made, to, sent));
    expect([again.status, retried.status]).toEqual([first.status, first.status]);
    expect(await messagesTo(to)).toMatchObject([{ code: sent }]);
    expect((await messagesTo(to)).length).toBe(1);
    expect(before - (await alice.balance())).toBe(1);
    const { otp_id, name } = await service.app.db.one<{ otp_id: string; name: string }>(
      `select v.id as otp_id, k.name from verifications v join api_keys k on k.id = v.api_key_id where v.recipient = $1`,
      [to],
    );
    expect(name).toBe(made.name);
    expect(first.headers['x-otp-id']).toBe(otp_id);
  });

  test('a request without a valid secret gets 401 in every form, sends nothing and is counted', async () => {
    const made = await connected(system);
    const other = await connected(system);
    const to = phone();
    const wrong = [
      REQUESTS[system]({ ...made, secret: other.secret }, to, code()),
      REQUESTS[system](
        { ...made, secret: made.secret.replace(/.(?=.{10}$)/, (one) => (one === 'a' ? 'b' : 'a')) },
        to,
        code(),
      ),
      { ...REQUESTS[system](made, to, code()), headers: JSON_TYPE, body: '{}' },
    ];
    for (const request of wrong) expect((await post(made, request)).status).toBe(401);
    // One connection's secret at another's address.
    expect((await post(other, REQUESTS[system](made, to, code()))).status).toBe(401);
    expect(await messagesTo(to)).toEqual([]);
    await expect
      .poll(async () => (await listed(made.id))?.wrong_signatures, { timeout: 5_000 })
      .toBe(wrong.length);
  });

  test('the old secret works for the chosen hours after a rotation, and the new one at once', async () => {
    const made = await connected(system);
    const bearer = await signedIn(service, alice);
    const rotated = await service.call(rotateConnection, {
      bearer,
      params: { id: made.id },
      body: { valid_hours: 2 },
    });
    expect(rotated.body.secret).not.toBe(made.secret);
    const works = async (secret: string) =>
      (await post(made, REQUESTS[system]({ ...made, secret }, phone(), code()))).status < 300;
    expect([await works(made.secret), await works(rotated.body.secret)]).toEqual([true, true]);
    const { body: last } = await service.call(rotateConnection, {
      bearer,
      params: { id: made.id },
      body: { valid_hours: 0 },
    });
    const secrets = [made.secret, rotated.body.secret, last.secret];
    expect(await Promise.all(secrets.map(works))).toEqual([false, false, true]);
  });

  test('a body that is not of the system gets a polite refusal and no 500', async () => {
    const made = await connected(system);
    for (const body of ['', '[]', '"text"', 'null', '{"to":', '{"__proto__":{"to":1}}', 'x'.repeat(70_000)]) {
      const { headers } = REQUESTS[system](made, phone(), code());
      const answer = await post(made, { ...REQUESTS[system](made, phone(), code()), headers, body });
      expect([200, 400, 401, 413, 415]).toContain(answer.status);
    }
  });
});

const listed = async (id: string) =>
  (await service.call(listConnections, { bearer: await signedIn(service, alice) })).body.results.find(
    (one) => one.id === id,
  );

test('Supabase: old and new forms, two secrets, a changed number, and a replay are understood', async () => {
  const made = await connected('supabase');
  const { secret } = made;
  const [old, own] = [code(), code()];
  // Without metadata, and with a plus sign.
  const oldTo = phone();
  const oldBody = { user: { phone: oldTo }, sms: { otp: old } };
  expect((await post(made, supabaseRequest([secret], oldBody))).text).toBe('{}');
  expect(await messagesTo(oldTo)).toMatchObject([{ code: old }]);
  // Newer: the number in sms.phone, and the signature of another secret first, joined with a comma and a space.
  const [newTo, another] = [phone(), 'v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
  const body = supabaseSms(phone(), own, {
    sms: { otp: own, sms_type: 'verification', phone: newTo.slice(1) },
  });
  const request = supabaseRequest([another, secret], body);
  expect(request.headers['webhook-signature']).toContain('=, v1,');
  expect((await post(made, request)).status).toBe(200);
  expect(await messagesTo(newTo)).toMatchObject([{ code: own }]);
  // The same message in another attempt, with a new webhook-id, long after the code's life.
  await service.clock.advance(6 * 60_000);
  const late = await post(made, supabaseRequest([secret], body));
  expect(late.headers['idempotent-replayed']).toBe('true');
  expect(await messagesTo(newTo)).toHaveLength(1);
  // Too old, too far in the future.
  for (const at of [nowMs() - 301_000, nowMs() + 301_000])
    expect((await post(made, supabaseRequest([secret], supabaseSms(phone(), code()), { at }))).status).toBe(
      401,
    );
});

test('Supabase: a refusal reaches the person, and an outage is retried', async () => {
  const made = await connected('supabase');
  const to = phone();
  for (let n = 0; n < 5; n += 1)
    expect((await post(made, supabaseRequest([made.secret], supabaseSms(to, code())))).text).toBe('{}');
  const refused = (await post(made, supabaseRequest([made.secret], supabaseSms(to, code())))).body();
  expect(refused.error.http_code).toBe(429);
  expect(refused.error.message).toMatch(
    /^Too many codes for this recipient\. Please try again in \d+ (second|minute)s?\.$/,
  );
  await expect.poll(async () => (await listed(made.id))?.last_used_at, { timeout: 5_000 }).not.toBeNull();
  await service.app.db.run('update balances set credits = 0 where account_id = $1', [alice.account_id]);
  const broke = await post(made, supabaseRequest([made.secret], supabaseSms(phone(), code())));
  await service.app.db.run('update balances set credits = 5000 where account_id = $1', [alice.account_id]);
  expect(broke.body()).toEqual({
    error: { http_code: 400, message: 'Codes cannot be sent at the moment. Please try again later.' },
  });
  // The request log has our own status.
  await service.clock.advance(1_000);
  const logged = await service.app.db.rows(
    `select response_status_code as status, reason from request_logs where api_key_id = $1 and reason is not null order by id`,
    [made.api_key_id],
  );
  expect(logged).toEqual([
    { status: 429, reason: 'recipient_rate_limited' },
    { status: 402, reason: 'insufficient_credits' },
  ]);
  await expect
    .poll(async () => (await listed(made.id))?.last_error, { timeout: 5_000 })
    .toBe('insufficient_credits');
});

test('Supabase: the e-mail hook sends to the address, and to both for a secured change', async () => {
  const made = await connected('supabase');
  const mail = (user: object, data: object) =>
    post(made, {
      ...supabaseRequest([made.secret], { metadata: { uuid: crypto.randomUUID() }, user, email_data: data }),
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

test('the settings have every field that the form of the system requires, in its order and words', async () => {
  const names = async (system: SystemName) => (await connected(system)).settings.map(({ name }) => name);
  expect(await names('authentik')).toEqual([
    'Provider',
    'From number',
    'Authentication Type',
    'External API URL',
    'API Auth Username',
    'Hash phone number',
  ]);
  expect(await names('novu')).toEqual(expect.arrayContaining(['Base URL', 'API Key', 'From', 'Id Path']));
  expect((await names('keycloak')).slice(0, 3)).toEqual([
    'Simulation mode',
    'SMS API URL',
    'URL encode data',
  ]);
  const [, , , toml] = (await connected('supabase')).settings;
  expect(toml?.value.match(/^enabled = true$/gm)).toHaveLength(2);
});

test("a system's address of the person reaches the rules, and an invalid one is ignored", async () => {
  const addressOf = async (system: 'logto' | 'supabase' | 'webhook', address: string) => {
    const [made, to] = [await connected(system), phone()];
    const bodies = {
      logto: { to, payload: { code: code() }, ip: address },
      supabase: supabaseSms(to, code(), { metadata: { ip_address: address } }),
      webhook: { recipient: to, code: code(), client_ip: address },
    };
    const request =
      system === 'logto'
        ? {
            headers: { ...JSON_TYPE, authorization: made.secret },
            body: JSON.stringify(bodies.logto),
          }
        : supabaseRequest([made.secret], bodies[system]);
    expect((await post(made, request)).status).toBe(200);
    const row = await service.app.db.one<{ client_ip: string | null }>(
      'select client_ip::text from verifications where recipient = $1',
      [to],
    );
    return row.client_ip;
  };
  for (const system of ['logto', 'supabase', 'webhook'] as const) {
    expect(await addressOf(system, '203.0.113.7')).toMatch(/^203\.0\.113\.7\b/);
    expect(await addressOf(system, 'unknown')).toBeNull();
  }
});

test('Zitadel: the signing keys of both providers are valid at the same time', async () => {
  const made = await connected('zitadel');
  const [sms, email] = ['key-of-the-sms-provider', 'key-of-the-email-provider'];
  const bearer = await signedIn(service, alice);
  const enter = (secret: string) =>
    service.call(updateConnection, { bearer, params: { id: made.id }, body: { secret } });
  expect((await enter(`${sms}, ${email}`)).status).toBe(200);
  for (const key of [sms, email])
    expect((await post(made, zitadelRequest(key, zitadelSms(phone(), code())))).status).toBe(200);
  const both = zitadelRequest(`${sms}, ${email}`, zitadelSms(phone(), code()));
  expect((await post(made, both)).status).toBe(401);
  const tested = await service.call(testConnection, {
    bearer,
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
  const bearer = await signedIn(service, alice);
  const key = 'zitadel-signing-key-0123456789';
  const changed = await service.call(updateConnection, {
    bearer,
    params: { id: made.id },
    body: { secret: key },
  });
  expect(changed.status).toBe(200);
  const send = (secret: string, body: object, more: object = {}) =>
    post(made, zitadelRequest(secret, body, more));
  const sent = code();
  expect((await send(key, zitadelSms(phone(), sent), { header: 'X-ZITADEL-Signature' })).status).toBe(200);
  expect((await send(made.secret, zitadelSms(phone(), code()))).status).toBe(200);
  expect((await send(key, zitadelSms(phone(), code()), { at: nowMs() - 301_000 })).status).toBe(401);
  const none = await send(key, { contextInfo: { recipientPhoneNumber: phone() }, args: {} });
  expect([none.status, none.body().reason]).toEqual([400, 'code_missing']);
  const mail = zitadelRequest(key, {
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
  const headers = { ...JSON_TYPE, authorization: basic('kratos', made.secret) };
  expect((await post(made, { headers, body: JSON.stringify(whole) })).status).toBe(200);
  expect(await messagesTo(to)).toMatchObject([{ code: sent }]);
  const byKey = { ...JSON_TYPE, 'x-api-key': made.secret };
  const body = JSON.stringify({ recipient: phone(), code: code() });
  expect((await post(made, { headers: byKey, body })).status).toBe(200);
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
  const headers = { ...JSON_TYPE, authorization: basic('auth', made.secret) };
  const sent = code();
  const to = phone();
  expect(
    (await post(made, { headers, body: JSON.stringify({ From: 'x', To: to, Body: sent }) })).status,
  ).toBe(200);
  const text = JSON.stringify({ From: 'x', To: phone(), Body: `Use this code: ${code()}` });
  expect((await post(made, { headers, body: text })).status).toBe(200);
  const refused = await post(made, {
    headers,
    body: JSON.stringify({ From: 'x', To: 'nobody', Body: code() }),
  });
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
  const headers = { ...JSON_TYPE, authorization: basic('keycloak', made.secret) };
  const body = JSON.stringify({ text: `Code ${code()}`, to: phone(), from: 'x' });
  expect((await post(made, { headers, body })).status).toBe(200);
  const none = await post(made, { headers, body: JSON.stringify({ text: 'Hello', to: phone() }) });
  expect([none.status, none.body().reason]).toEqual([400, 'code_missing']);
  const two = await post(made, {
    headers,
    body: JSON.stringify({ text: 'Codes 111111 and 222222', to: phone() }),
  });
  expect(two.body().reason).toBe('code_missing');
  const year = phone();
  const dated = JSON.stringify({ text: `Code 314159, 26.11.2026`, to: year });
  expect((await post(made, { headers, body: dated })).status).toBe(200);
  expect(await messagesTo(year)).toMatchObject([{ code: '314159', text: 'Code 314159, 26.11.2026' }]);
});

/** The requests of systems that can send a text without its code beside it. */
const TEXT_REQUESTS: [SystemName, (made: NewConnection, to: string, text: string) => Request][] = [
  [
    'kratos',
    ({ secret }, to, text) => ({
      headers: { ...JSON_TYPE, authorization: `Bearer ${secret}` },
      body: JSON.stringify({ recipient: to, body: text, template_type: 'stub', template_data: {} }),
    }),
  ],
  [
    'keycloak',
    ({ secret }, to, text) => ({
      headers: { ...JSON_TYPE, authorization: `Bearer ${secret}` },
      body: JSON.stringify({ text, to }),
    }),
  ],
  [
    'fusionauth',
    ({ secret }, to, text) => ({
      headers: { ...JSON_TYPE, authorization: basic('sixdigit', secret) },
      body: JSON.stringify({ phoneNumber: to, textMessage: text }),
    }),
  ],
  [
    'novu',
    ({ secret }, to, text) => ({
      headers: { ...JSON_TYPE, 'x-api-key': secret },
      body: JSON.stringify({ to, content: text }),
    }),
  ],
  ['webhook', ({ secret }, to, text) => signedRequest(secret, { recipient: to, message: text })],
  [
    'twilio-messages',
    (made, to, text) => ({
      ...REQUESTS['twilio-messages'](made, to, ''),
      body: new URLSearchParams({ To: to, Body: text }).toString(),
    }),
  ],
];

test.each(TEXT_REQUESTS)(
  'a text of %s without a clear code is refused until its connection has a pattern',
  async (system, request) => {
    const made = await connected(system);
    const to = phone();
    const text = 'Ref 123456 or 654321: your PIN is AB12CD, bye';
    const refused = await post(made, request(made, to, text));
    expect([refused.status, refused.headers['x-reason']]).toEqual([400, 'code_missing']);
    expect(await messagesTo(to)).toEqual([]);
    await service.call(updateConnection, {
      bearer: await signedIn(service, alice),
      params: { id: made.id },
      body: { code_pattern: 'PIN is {code},' },
    });
    expect((await post(made, request(made, to, text))).status).toBeLessThan(300);
    expect(await messagesTo(to)).toMatchObject([{ code: 'AB12CD', text }]);
  },
);

test('authentik: the pattern of the connection tells the code in a whole text', async () => {
  const made = await connected('authentik', { code_pattern: 'PIN is {code},' });
  const to = phone();
  const body = JSON.stringify({ From: 'x', To: to, Body: 'Ref 123456: your PIN is 7777, bye' });
  const headers = { ...JSON_TYPE, authorization: `Bearer ${made.secret}` };
  expect((await post(made, { headers, body })).status).toBe(200);
  expect(await messagesTo(to)).toMatchObject([{ code: '7777' }]);
});

test('Novu reads the id of a message, and Twilio gets its own shape', async () => {
  const novu = await connected('novu');
  const answer = await post(novu, REQUESTS.novu(novu, phone(), code()));
  expect(answer.body()).toEqual({ data: { id: answer.headers['x-otp-id'], date: expect.any(String) } });
  const twilio = await connected('twilio-messages');
  const sent = await post(twilio, REQUESTS['twilio-messages'](twilio, phone(), code()));
  expect(sent.body()).toMatchObject({
    sid: expect.stringMatching(/^SM[0-9a-f]{32}$/),
    status: 'queued',
    account_sid: `AC${twilio.id.replaceAll('-', '')}`,
    num_segments: '1',
    error_code: null,
  });
  expect(twilio.endpoints).toEqual([{ kind: 'sms', url: `http://sixdigit.test/api/v1/in/${twilio.id}` }]);
  const wrong = REQUESTS['twilio-messages']({ ...twilio, secret: 'x' }, phone(), code());
  expect((await post(twilio, wrong)).body()).toMatchObject({ code: 20003, status: 401 });
});

test('an unknown address, another kind and another path get 404 like an unknown path', async () => {
  const made = await connected('authentik');
  const request = REQUESTS.authentik(made, phone(), code());
  const id = service.app.random.uuid();
  for (const [connection, more] of [
    [{ id }, {}],
    [{ id: 'nonsense' }, {}],
    [made, { kind: 'email' }],
    [made, { kind: 'fax' }],
    [made, { path: `2010-04-01/Accounts/AC${made.id.replaceAll('-', '')}/Messages.json` }],
  ] as const) {
    const answer = await post(connection, { ...request, ...more });
    expect([answer.status, answer.body()]).toEqual([404, { error: 'Not found', reason: 'not_found' }]);
  }
});
