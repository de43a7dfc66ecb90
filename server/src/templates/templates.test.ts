import { type ApiScope, createApiKey } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { resendOtp, sendOtp } from '@sixdigit/contract/otp.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import {
  createTemplate,
  deleteTemplate,
  listTemplates,
  previewTemplate,
  updateTemplate,
} from '@sixdigit/contract/templates.ts';
import { sendVerificationAgain } from '@sixdigit/contract/test-send.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { type Sender, sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { newestMessages } from '../messaging/sandbox/sandbox.ts';
import { textFor } from './templates.ts';

const service = fixture(() => testService({ env: { ALLOWED_COUNTRIES: 'US,DE' } }));
let count = 0;
const phone = () => `+1415555${7000 + ++count}`;

const SMS = {
  channel: 'sms',
  locale: 'en',
  text: 'Order {order} at {brand}: {code}, {minutes} min',
  subject: null,
} as const;
const MAIL = {
  channel: 'email',
  locale: 'en',
  text: 'Order {order} of {name}:\n{code}',
  subject: 'Order {order}',
} as const;
const ORDER = { name: 'order', texts: [SMS, MAIL], dlt: null };
const dlt = { entity_id: '1701158019630577568', template_id: '1107158091234567890' };

type Body = Given<typeof createTemplate, 'body'>;

const owner = async (scopes: ApiScope[] = []): Promise<Sender & { bearer: string }> => {
  const made = await sender(service, `Alice${++count}`, { keys: 2, scopes });
  return { ...made, bearer: await signedIn(service, made) };
};
const withTemplate = async (body: Body = ORDER) => {
  const alice = await owner();
  const made = await service.call(createTemplate, { bearer: alice.bearer, body });
  expect(made.status).toBe(201);
  return { alice, template: made.body };
};
const changedToday = ({ account_id }: Sender, times: number) =>
  service.app.db.run('update twilio_safe_list_changes set changes = $2 where account_id = $1', [
    account_id,
    times,
  ]);
const variables = { order: '4711', name: 'Zoë' };
const messageTo = async (recipient: string) => {
  await service.drain();
  const [message] = await newestMessages(service.app.db, recipient);
  const code = message?.code ?? '';
  return { ...message, text: message?.text.replaceAll(code, '******') ?? '' };
};

test('a send takes the text of a template with its variables, and keeps the version that it used', async () => {
  const { alice, template } = await withTemplate();
  const recipient = phone();
  const otp_id = await alice.sent(recipient, { template: 'order', variables });
  expect((await messageTo(recipient)).text).toBe('Order 4711 at Sixdigit: ******, 5 min');
  const short = phone();
  await alice.sent(short, { template: 'order', variables, expires_in: 119 });
  expect((await messageTo(short)).text).toBe('Order 4711 at Sixdigit: ******, 1 min');
  const texts = [{ ...SMS, text: 'New: {code}' }];
  const { body } = await service.call(updateTemplate, {
    bearer: alice.bearer,
    params: { id: template.id },
    body: { ...ORDER, texts },
  });
  expect([template, body]).toMatchObject([
    { variables: ['order', 'name'], version: 1 },
    { variables: [], version: 2 },
  ]);
  const [change] = await service.app.db.rows(
    `select before, after from audit_entries where account_id = $1 and action = 'template.change'`,
    [alice.account_id],
  );
  expect(change).toEqual({ before: ORDER, after: { ...ORDER, texts } });
  const later = await alice.sent(phone(), { template: 'order' });
  expect([await alice.state(otp_id), await alice.state(later)]).toMatchObject([
    { template: 'order', template_version: 1, language: 'en' },
    { template: 'order', template_version: 2 },
  ]);
});

test('an email escapes the variables of a stranger, in one line of its subject', async () => {
  const { alice } = await withTemplate();
  const recipient = `reader${++count}@example.com`;
  await alice.sent(recipient, { template: 'order', variables: { order: 'A & "B"', name: "O'Neil & Co" } });
  const { subject, html } = await messageTo(recipient);
  expect(subject).toBe('Order A & "B"');
  expect(html).toContain('Order A &amp; &quot;B&quot; of O&#39;Neil &amp; Co:');
});

test.each([
  [{ template: 'none' }, { template: ['The account has no template none.'] }],
  [{ template: 'Order' }, { template: [expect.stringContaining('1 to 40')] }],
  [{ template: "x'; drop table templates" }, { template: [expect.stringContaining('1 to 40')] }],
  [{ template: 'order' }, { variables: ['The template needs a value for order, name.'] }],
  [{ template: 'order', message: 'A {code}', variables }, { message: [expect.stringContaining('either')] }],
  [{ template: 'order', subject: 'A subject', variables }, { subject: [expect.stringContaining('either')] }],
  [{ variables }, { variables: ['Variables need a template.'] }],
  ...[
    'https://evil.example',
    'evil.com',
    'evil。com',
    'a\nb',
    '{code}',
    '<b>',
    '\u202eabc',
    'x'.repeat(101),
    ' ',
    '\ud800',
  ].map((name): [object, object] => [
    { template: 'order', variables: { ...variables, name } },
    { variables: [expect.any(String)] },
  ]),
  [{ template: 'order', variables: { ...variables, constructor: 'x', a: '1', b: '2' } }, {}],
])('a send with %j is a field error and costs nothing, unless it is fine', async (more, fields) => {
  const { alice } = await withTemplate();
  const before = await alice.balance();
  const { status, body } = await alice.send(phone(), more as Record<string, unknown>);
  const isFine = Object.keys(fields).length === 0;
  expect([status, await alice.balance()]).toEqual([isFine ? 201 : 400, isFine ? before - 1 : before]);
  if (!isFine) {
    const { otp_id: _, ...refused } = body;
    expect(refused).toEqual(fields);
  }
});

test('segments count the variables, and a text that they make too long is refused', async () => {
  const { alice } = await withTemplate({
    name: 'long',
    texts: [{ ...SMS, text: `{a} {b} {c} ${'x'.repeat(60)} {code}` }],
  });
  const send = (value: string) =>
    alice.send(phone(), { template: 'long', variables: { a: value, b: value, c: value } });
  expect([(await send('a')).body.segments, (await send('a'.repeat(40))).body.segments]).toEqual([1, 2]);
  expect(await send('я'.repeat(90))).toMatchObject({
    status: 400,
    body: { template: [expect.stringContaining('SMS segments')] },
  });
});

test('a template without a text for the channel is refused, and a call speaks its own text', async () => {
  const { alice } = await withTemplate({ name: 'sms-only', texts: [SMS] });
  expect(await alice.send(`reader${++count}@example.com`, { template: 'sms-only', variables })).toMatchObject(
    {
      status: 400,
      body: { template: ['The template sms-only has no text for this channel.'] },
    },
  );
  const recipient = phone();
  await alice.sent(recipient, { template: 'sms-only', channel: 'voice' });
  expect((await messageTo(recipient)).text).toContain('Hello. Your Sixdigit verification code is');
});

test.each([
  [{ locale: 'pt-BR' }, 'pt-BR'],
  [{ locale: 'pt_PT.UTF-8' }, 'pt'],
  [{ locale: 'zh-TW' }, 'zh-Hant'],
  [{ locale: 'is-IS' }, 'is'],
  [{ locale: 'ko' }, 'fr'],
  [{}, 'fr'],
  [{ country: 'TW' }, 'zh-Hant'],
  [{ locale: 'is', country: 'TW' }, 'is'],
  [{ locale: 'ko', language: 'ko' }, 'en'],
] as const)('a template sends for %j its text in %s', (wanted, locale) => {
  const texts = ['is', 'en', 'fr', 'pt', 'pt-BR', 'zh-Hant'].map((one) => ({ ...SMS, locale: one }));
  const defaults = { channel: 'sms', locale: undefined, country: null, language: 'fr' } as const;
  expect(textFor({ texts }, { ...defaults, ...wanted })?.locale).toBe(locale);
});

test('a repeated send gets its first response after its template is deleted, and a new one is refused', async () => {
  const { alice, template } = await withTemplate();
  const recipient = phone();
  const ask = (key: string) =>
    alice.send(recipient, { template: 'order', variables }, { 'idempotency-key': key });
  const first = await ask('one');
  await service.call(deleteTemplate, { bearer: alice.bearer, params: { id: template.id } });
  const again = await ask('one');
  expect([again.status, again.headers['idempotent-replayed'], again.body]).toEqual([201, 'true', first.body]);
  expect(await ask('two')).toMatchObject({ status: 400, body: { template: [expect.any(String)] } });
});

test('a message that is sent again keeps its text, its template and its ids, although the template is deleted', async () => {
  const { alice, template } = await withTemplate({ ...ORDER, dlt });
  const { bearer } = alice;
  const id = await alice.sent(phone(), { template: 'order', variables });
  await service.call(deleteTemplate, { bearer, params: { id: template.id } });
  const repeat = (body: object) =>
    service.call(resendOtp, { apiKey: alice.key(), params: { otp_id: id }, body });
  const repeated = await repeat({});
  const again = await service.call(sendVerificationAgain, { bearer, params: { id } });
  expect([repeated.status, again.status]).toEqual([200, 201]);
  const sent = await service.app.db.rows(
    `select message, template, template_version, language, dlt from verifications where account_id = $1`,
    [alice.account_id],
  );
  const message = 'Order 4711 at Sixdigit: {code}, 5 min';
  const kept = { message, template: 'order', template_version: 1, language: 'en', dlt };
  expect(sent).toEqual([kept, kept, kept]);
  // The ids are those of a text message.
  const { resend_id } = (await repeat({ channel: 'voice' })).body;
  const call = 'select template, dlt from verifications where id = $1';
  expect(await service.app.db.one(call, [resend_id])).toEqual({ template: 'order', dlt: null });
});

test('a later step of a plan has the text, the version and the ids of the template at its send', async () => {
  const { alice, template } = await withTemplate({ ...ORDER, dlt });
  const channels = ['voice' as const, 'sms' as const];
  const body = { recipient: phone(), channels, template: 'order', variables };
  const { otp_id } = (await service.call(sendOtp, { apiKey: alice.key(), body })).body;
  await service.drain();
  await service.call(deleteTemplate, { bearer: alice.bearer, params: { id: template.id } });
  await service.clock.advance(61_000);
  await service.drain();
  const rows = await service.app.db.rows(
    'select channel, message, template_version, dlt from verifications where resend_of = $1',
    [otp_id],
  );
  const message = 'Order 4711 at Sixdigit: {code}, 5 min';
  expect(rows).toEqual([{ channel: 'sms', message, template_version: 1, dlt }]);
});

test('a template without a subject has ours in the language of its text, which the country can choose', async () => {
  const mail = { channel: 'email', locale: 'de', text: 'Ihr Code: {code}', subject: null } as const;
  const texts = [mail, { ...SMS, text: 'EN {code}' }, { ...SMS, locale: 'de', text: 'DE {code}' }];
  const longest = [{ ...SMS, text: `{${'a'.repeat(30)}} {code}` }];
  await withTemplate({ name: 'a'.repeat(40), texts: longest, dlt: null });
  const { alice } = await withTemplate({ name: 'german', texts, dlt });
  const { db } = service.app;
  await db.run('update accounts set language_by_country = true where id = $1', [alice.account_id]);
  const sentTo = async (recipient: string) => {
    const id = await alice.sent(recipient, { template: 'german' });
    return db.one('select subject, message, dlt from verifications where id = $1', [id]);
  };
  expect([
    await sentTo(`reader${++count}@example.com`),
    await sentTo('+4915123456789'),
    await sentTo(phone()),
  ]).toEqual([
    { subject: 'Ihr Bestätigungscode', message: 'Ihr Code: {code}', dlt: null },
    { subject: null, message: 'DE {code}', dlt },
    { subject: null, message: 'EN {code}', dlt },
  ]);
});

test('a key manages templates with the scope templates:write, only those of its account, up to 1,000 changes a day', async () => {
  const [alice, bob] = [await owner(['templates:write']), await owner()];
  const made = await service.call(createTemplate, { apiKey: alice.key(), body: ORDER });
  expect(made).toMatchObject({ status: 201, body: { name: 'order', version: 1, dlt: null } });
  const params = { id: made.body.id };
  expect(await service.call(createTemplate, { apiKey: bob.key(), body: ORDER })).toMatchObject({
    status: 401,
    body: { reason: 'missing_scope', scope: 'templates:write' },
  });
  const tested = await service.call(createApiKey, {
    bearer: alice.bearer,
    body: { name: 'Test', mode: 'test', scopes: ['templates:write'] },
  });
  expect(await service.call(deleteTemplate, { apiKey: tested.body.key, params })).toMatchObject({
    status: 401,
    body: { reason: 'missing_scope' },
  });
  expect((await bob.send(phone(), { template: 'order', variables })).body.template).toBeDefined();
  for (const caller of [{ bearer: bob.bearer }, { bearer: bob.bearer, params: { id: 'x' } }]) {
    expect((await service.call(deleteTemplate, { params, ...caller })).status).toBe(404);
    const update = await service.call(updateTemplate, { params, ...caller, body: ORDER });
    expect(update.body.reason).toBe('not_found');
  }
  expect((await service.call(listTemplates, { bearer: bob.bearer })).body).toEqual({ results: [], count: 0 });
  expect((await service.call(listTemplates, { apiKey: alice.key() })).body.results).toEqual([made.body]);
  await changedToday(alice, 1_000);
  expect(await service.call(updateTemplate, { apiKey: alice.key(), params, body: ORDER })).toMatchObject({
    status: 429,
    body: { reason: 'too_many_requests' },
  });
  expect((await service.call(deleteTemplate, { bearer: alice.bearer, params })).status).toBe(204);
  expect((await service.call(listTemplates, { bearer: alice.bearer })).body.count).toBe(0);
});

test('members change templates up to 2,000 times a day, with the changes by keys', async () => {
  const alice = await owner();
  const create = (name: string) =>
    service.call(createTemplate, { bearer: alice.bearer, body: { ...ORDER, name } });
  expect((await create('first')).status).toBe(201);
  await changedToday(alice, 1_999);
  expect((await create('last')).status).toBe(201);
  expect(await create('refused')).toMatchObject({ status: 429, body: { reason: 'too_many_requests' } });
});

test('the audit log shows the texts of a template that changed, shortened and at most ten', async () => {
  const languages = ['de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'sv', 'da', 'fi', 'nb', 'cs'];
  const many = languages.map((locale) => ({ ...MAIL, locale }));
  const { alice, template } = await withTemplate({ ...ORDER, texts: [SMS, ...many] });
  const { bearer } = alice;
  const change = (texts: Body['texts']) =>
    service.call(updateTemplate, { bearer, params: { id: template.id }, body: { ...ORDER, texts } });
  const long = { ...SMS, text: `{code} ${'x'.repeat(250)}` };
  expect((await change([long, ...many])).status).toBe(200);
  expect((await change(many.map((one) => ({ ...one, text: 'New: {code}' })))).status).toBe(200);
  const { results } = (await service.call(listAuditEntries, { bearer })).body;
  const [second, first, created] = results;
  expect(created).toMatchObject({ action: 'template.create', after: { more_texts: 3 } });
  expect(first?.before).toEqual({ name: 'order', dlt: null, texts: [SMS] });
  const texts = [{ ...SMS, text: `${long.text.slice(0, 200)}…` }];
  expect(first?.after).toEqual({ name: 'order', dlt: null, texts });
  expect([second?.before, second?.after]).toMatchObject([{ more_texts: 3 }, { more_texts: 2 }]);
});

test('a name is taken once per account', async () => {
  const { alice, template } = await withTemplate();
  const { bearer } = alice;
  const taken = { status: 400, body: { name: ['The account has a template order already.'] } };
  expect(await service.call(createTemplate, { bearer, body: ORDER })).toMatchObject(taken);
  const other = await service.call(createTemplate, { bearer, body: { ...ORDER, name: 'another' } });
  const { results } = (await service.call(listTemplates, { bearer })).body;
  expect(results.map(({ name }) => name)).toEqual(['another', 'order']);
  expect(
    await service.call(updateTemplate, { bearer, params: { id: other.body.id }, body: ORDER }),
  ).toMatchObject(taken);
  const same = await service.call(updateTemplate, { bearer, params: { id: template.id }, body: ORDER });
  expect(same.body.version).toBe(2);
});

test('an account has at most 50 templates, also if two are created at once', async () => {
  const { alice } = await withTemplate();
  await service.app.db.run(
    `insert into templates (id, account_id, name, texts, created_at, updated_at)
     select gen_random_uuid(), $1, 't' || n, '[]', clock_now(), clock_now() from generate_series(1, 48) n`,
    [alice.account_id],
  );
  const replies = await Promise.all(
    ['one', 'two'].map((name) =>
      service.call(createTemplate, { bearer: alice.bearer, body: { ...ORDER, name } }),
    ),
  );
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400]);
});

test.each([
  [{ texts: [] }, 'texts'],
  [{ texts: [SMS, { ...SMS, locale: 'EN' }] }, 'texts'],
  [{ texts: [{ ...SMS, text: 'No placeholder' }] }, 'texts'],
  [{ texts: [{ ...SMS, text: '{Order} {code}' }] }, 'texts'],
  [{ texts: [{ ...SMS, text: '{a} {b} {c} {d} {e} {f} {code}' }] }, 'texts'],
  [{ texts: [{ ...SMS, text: 'Go to {shop}.com {code}' }] }, 'texts'],
  [{ texts: [{ ...SMS, text: 'Go to bank.{shop} {code}' }] }, 'texts'],
  [{ texts: [{ ...SMS, text: `${'é'.repeat(600)} {code}` }] }, 'texts'],
  [{ texts: [{ ...SMS, locale: 'not a tag' }] }, 'texts'],
  [{ texts: [{ ...SMS, subject: 'Of an SMS' }] }, 'texts'],
  [
    { texts: [{ ...SMS, text: `{code} ${Array.from({ length: 21 }, (_, n) => `a${n}.com`).join(' ')}` }] },
    'texts',
  ],
  [{ name: '../order' }, 'name'],
  [{ name: 'a'.repeat(41) }, 'name'],
  [{ texts: [{ ...SMS, text: `{${'a'.repeat(31)}} {code}` }] }, 'texts'],
  [{ dlt: { entity_id: '1', template_id: '2' } }, 'dlt'],
])('a template with %j is refused', async (part, field) => {
  const alice = await owner();
  const { status, body } = await service.call(createTemplate, {
    bearer: alice.bearer,
    body: { ...ORDER, ...part } as typeof ORDER,
  });
  expect(status).toBe(400);
  expect(Object.keys(body).some((name) => name.startsWith(field))).toBe(true);
});

test('the preview of a text has the segments and the prices of its send', async () => {
  const { alice } = await withTemplate();
  const preview = async (body: object) =>
    (await service.call(previewTemplate, { bearer: alice.bearer, body: body as never })).body;
  expect(await preview(SMS)).toEqual({
    text: 'Order order at Sixdigit: 123456, 5 min',
    subject: null,
    html: null,
    segments: 1,
    problem: null,
    prices: [{ country: null, credits: 1 }],
  });
  const mail = await preview({ ...MAIL, locale: 'de', variables: { order: '<', name: 'A' } });
  expect(mail).toMatchObject({ variables: [expect.any(String)] });
  expect(await preview({ ...MAIL, locale: 'de', variables: { name: 'A&B' } })).toMatchObject({
    subject: 'Order order',
    html: expect.stringMatching(/A&amp;B[\s\S]*Dieser Code läuft/),
    segments: null,
  });
});
