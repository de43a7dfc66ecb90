/** What all systems have in common: what arrives is sent once, and refusals are in the system's own form. */

import { SYSTEMS, type SystemName } from '@sixdigit/contract/connection-list.ts';
import { type NewConnection, rotateConnection } from '@sixdigit/contract/connections.ts';
import { describe, expect, test } from 'vitest';
import {
  basic,
  bearerOf,
  connectionStage,
  inJson,
  JSON_TYPE,
  type SystemRequest,
  supabaseSms,
  withKey,
} from '../../test/connection-stage.ts';
import { signedIn } from '../../test/signed-in.ts';

const { service, alice, phone, code, connected, change, listed, post, messagesTo, signed, requests } =
  connectionStage();

describe.each(SYSTEMS)('%s', (system) => {
  test('a request is sent, and its retries send nothing more and cost nothing', async () => {
    const made = await connected(system);
    const [to, sent] = [phone(), code()];
    const before = await alice.balance();
    const request = requests[system](made, to, sent);
    const first = await post(made, request);
    expect([first.status, first.text]).toEqual([system === 'twilio-messages' ? 201 : 200, first.text]);
    expect(first.type).toMatch(/^application\/json/);
    const again = await post(made, request);
    // A retry that the system builds anew, with another signature.
    const retried = await post(made, requests[system](made, to, sent));
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
      requests[system]({ ...made, secret: other.secret }, to, code()),
      requests[system](
        { ...made, secret: made.secret.replace(/.(?=.{10}$)/, (one) => (one === 'a' ? 'b' : 'a')) },
        to,
        code(),
      ),
      { ...requests[system](made, to, code()), headers: JSON_TYPE, body: '{}' },
    ];
    for (const request of wrong) expect((await post(made, request)).status).toBe(401);
    // One connection's secret at another's address.
    expect((await post(other, requests[system](made, to, code()))).status).toBe(401);
    expect(await messagesTo(to)).toEqual([]);
    await expect
      .poll(async () => (await listed(made.id))?.wrong_signatures, { timeout: 5_000 })
      .toBe(wrong.length);
  });

  test('the old secret works for the chosen hours after a rotation, and the new one at once', async () => {
    const made = await connected(system);
    const bearer = await signedIn(service, alice);
    const rotate = async (valid_hours: number) =>
      (await service.call(rotateConnection, { bearer, params: { id: made.id }, body: { valid_hours } })).body
        .secret;
    const rotated = await rotate(2);
    expect(rotated).not.toBe(made.secret);
    const works = async (secret: string) =>
      (await post(made, requests[system]({ ...made, secret }, phone(), code()))).status < 300;
    expect([await works(made.secret), await works(rotated)]).toEqual([true, true]);
    const secrets = [made.secret, rotated, await rotate(0)];
    expect(await Promise.all(secrets.map(works))).toEqual([false, false, true]);
  });

  test('a body that is not of the system gets a polite refusal and no 500', async () => {
    const made = await connected(system);
    for (const body of ['', '[]', '"text"', 'null', '{"to":', '{"__proto__":{"to":1}}', 'x'.repeat(70_000)]) {
      const { headers } = requests[system](made, phone(), code());
      const answer = await post(made, { ...requests[system](made, phone(), code()), headers, body });
      expect([200, 400, 401, 413, 415]).toContain(answer.status);
    }
  });
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
  const { id, settings, secret } = await connected('supabase');
  expect(settings[3]?.value.split('\n\n').map((hook) => hook.trim().split('\n'))).toEqual(
    ['sms', 'email'].map((kind) => [
      `[auth.hook.send_${kind}]`,
      'enabled = true',
      `uri = "http://sixdigit.test/api/v1/in/${id}/${kind}"`,
      `secrets = "${secret}"`,
    ]),
  );
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
      system === 'logto' ? inJson(made.secret, bodies.logto) : signed([made.secret], bodies[system]);
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

/** The requests of systems that can send a text without its code beside it. */
const TEXT_REQUESTS: [SystemName, (made: NewConnection, to: string, text: string) => SystemRequest][] = [
  [
    'kratos',
    ({ secret }, recipient, body) =>
      inJson(bearerOf(secret), { recipient, body, template_type: 'stub', template_data: {} }),
  ],
  ['keycloak', ({ secret }, to, text) => inJson(bearerOf(secret), { text, to })],
  [
    'fusionauth',
    ({ secret }, phoneNumber, textMessage) => inJson(basic('sixdigit', secret), { phoneNumber, textMessage }),
  ],
  ['novu', ({ secret }, to, content) => withKey(secret, { to, content })],
  ['webhook', ({ secret }, recipient, message) => signed([secret], { recipient, message })],
  [
    'twilio-messages',
    (made, to, text) => ({
      ...requests['twilio-messages'](made, to, ''),
      body: new URLSearchParams({ To: to, Body: text }).toString(),
    }),
  ],
];

test.each(TEXT_REQUESTS)(
  'a text of %s without a clear code is refused until its connection has a pattern',
  async (system, request) => {
    // The text of the system replaces that of its connection.
    const made = await connected(system, { message: 'Ours: {code}' });
    const to = phone();
    const text = 'Ref 123456 or 654321: your PIN is AB12CD, bye';
    const refused = await post(made, request(made, to, text));
    expect([refused.status, refused.headers['x-reason']]).toEqual([400, 'code_missing']);
    expect(await messagesTo(to)).toEqual([]);
    await change(made, { code_pattern: 'PIN is {code},' });
    expect((await post(made, request(made, to, text))).status).toBeLessThan(300);
    expect(await messagesTo(to)).toMatchObject([{ code: 'AB12CD', text }]);
  },
);

test('the validity in a request replaces that of its connection', async () => {
  const made = await connected('kratos', { code_expires_in: 600 });
  const to = phone();
  expect((await post(made, requests.kratos(made, to, code()))).status).toBe(200);
  const lasts =
    'select extract(epoch from expires_at - created_at)::integer as s from verifications where recipient = $1';
  expect(await service.app.db.one(lasts, [to])).toEqual({ s: 900 });
});

test('the signature of a body is verified whatever its content type', async () => {
  const made = await connected('webhook');
  const { headers, body } = requests.webhook(made, phone(), code());
  const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
  expect((await post(made, { headers: form, body })).status).toBe(200);
});

test('a secret with a colon is understood as a Basic password', async () => {
  const made = await connected('fusionauth');
  const secret = 'a:secret:with:colons';
  expect((await change(made, { secret })).status).toBe(200);
  expect((await post(made, requests.fusionauth({ ...made, secret }, phone(), code()))).status).toBe(200);
});

test('authentik: a request without a body of its own has the code in its message', async () => {
  const made = await connected('authentik');
  const [to, sent] = [phone(), code()];
  const text = { From: 'x', To: to, Message: `Use this code: ${sent}` };
  expect((await post(made, inJson(bearerOf(made.secret), text))).status).toBe(200);
  expect(await messagesTo(to)).toMatchObject([{ code: sent }]);
});

test('authentik: the pattern of the connection tells the code in a whole text', async () => {
  const made = await connected('authentik', { code_pattern: 'PIN is {code},' });
  const to = phone();
  const text = { From: 'x', To: to, Body: 'Ref 123456: your PIN is 7777, bye' };
  expect((await post(made, inJson(bearerOf(made.secret), text))).status).toBe(200);
  expect(await messagesTo(to)).toMatchObject([{ code: '7777' }]);
});

test('an unknown address, another kind and another path get 404 like an unknown path', async () => {
  const made = await connected('authentik');
  const request = requests.authentik(made, phone(), code());
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
