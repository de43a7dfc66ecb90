import { getAccountVerification } from '@sixdigit/contract/operator/accounts.ts';
import {
  CARRIER_KIND_FACTS,
  checkCarrier,
  createCarrierSetup,
  previewCarrier,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { listCarrierCosts, testCarrier } from '@sixdigit/contract/operator/carriers.ts';
import { expect, test } from 'vitest';
import { carrierSetupStage, type NewSetup, reason } from '../../../test/carrier-setups.ts';
import { COMPANIES } from '../../../test/fakes/companies/companies.ts';
import { startCompany } from '../../../test/fakes/companies/company.ts';
import type { Company } from '../../../test/fakes/companies/wire.ts';
import { fixture } from '../../../test/fixture.ts';

/** Carriers whose record an operator wrote. */
const { service, olivia, alice, phone, gateway, add, setup, change } = carrierSetupStage();
const elks = COMPANIES.find(({ kind }) => kind === '46elks') as Company;
const fake = fixture(() => startCompany(elks, () => service.app.clock.now()));
const record = () => structuredClone(CARRIER_KIND_FACTS['46elks'].preset?.record);
const custom = (more: Partial<NewSetup> = {}): NewSetup =>
  ({
    ...gateway(),
    url: undefined,
    secret: undefined,
    kind: 'custom',
    record: JSON.stringify(record()),
    api_url: fake.url,
    ...elks.fields,
    reason,
    ...more,
  }) as NewSetup;

test('a company that an operator described delivers codes, and its reports count', async () => {
  expect(await add(custom())).toMatchObject({ status: 201 });
  const recipient = phone();
  const otp_id = await alice.sent(recipient);
  await service.drain();
  const callback = fake.report(fake.messageTo(recipient), 'delivered');
  const url = new URL(callback.url);
  expect(url.pathname).toBe('/api/v1/carriers/acme/status/');
  const send = (path: string) =>
    service.inject({ method: 'POST', url: path, headers: callback.headers, payload: callback.body });
  expect((await send(url.pathname)).statusCode).toBe(404);
  expect((await send(url.pathname + url.search)).statusCode).toBe(204);
  expect((await alice.state(otp_id)).delivered_at).not.toBeNull();
});

test('the delivery report about a test message shows at its carrier, and a later one does not replace a final one', async () => {
  await add(custom({ is_enabled: false }));
  const tried = () =>
    olivia.call(testCarrier, { params: { name: 'acme' }, body: { channel: 'sms', recipient: phone() } });
  const report = async (meaning: 'sent' | 'delivered' | 'failed', word?: string) => {
    const message = fake.messages.at(-1) as (typeof fake.messages)[number];
    const { url, headers, body } = fake.report(message, meaning, word === undefined ? {} : { word });
    const { pathname, search } = new URL(url);
    return (await service.inject({ method: 'POST', url: pathname + search, headers, payload: body }))
      .statusCode;
  };
  expect((await setup()).last_test).toBeNull();
  await tried();
  expect((await setup()).last_test).toMatchObject({ channel: 'sms', outcome: 'accepted', report: null });
  expect(await report('sent')).toBe(204);
  expect((await setup()).last_test?.report).toMatchObject({ state: 'sent' });
  expect(await report('delivered')).toBe(204);
  expect(await report('failed')).toBe(204);
  expect((await setup()).last_test?.report).toMatchObject({ state: 'delivered', status: 'delivered' });
  const [first] = fake.messages.slice(-1);
  await tried();
  expect((await setup()).last_test?.report).toBeNull();
  fake.messages.push(first as (typeof fake.messages)[number]);
  expect(await report('delivered')).toBe(404);
  fake.messages.pop();
  fake.answer = () => ({ status: 401, body: {} });
  await tried();
  fake.answer = undefined;
  expect((await setup()).last_test).toMatchObject({ outcome: 'refused' });
});

test('the price and the network of a message are in the operator’s view of it and in the sums of the day, and nowhere in the account’s', async () => {
  const priced = record();
  Object.assign(priced?.reports ?? {}, { price: 'cost', currency: 'currency', network: 'network' });
  if (priced?.reports) priced.reports.statuses.seen = 'read';
  await add(custom({ record: JSON.stringify(priced) }));
  const recipient = phone();
  const otp_id = await alice.sent(recipient);
  await service.drain();
  const message = fake.messageTo(recipient);
  const told = (more: object) =>
    fake.callback(message.report_url ?? '', { id: message.id, status: 'delivered', ...more });
  const report = async (more: object) => {
    const { url, headers, body } = told(more);
    const { pathname, search } = new URL(url);
    const sent = { method: 'POST', url: pathname + search, headers, payload: body } as const;
    expect((await service.inject(sent)).statusCode).toBe(204);
  };
  const params = { id: alice.account_id, otp_id };
  const facts = async () => (await olivia.call(getAccountVerification, { params })).body;
  const costs = async () => {
    await service.app.activity.flush();
    return (await olivia.call(listCarrierCosts)).body.costs;
  };
  await report({ status: 'sent', cost: '0.03', currency: 'eur', network: '24001' });
  expect(await facts()).toMatchObject({
    carrier_price: '0.03',
    carrier_currency: 'EUR',
    network: '24001',
    read_at: null,
  });
  await report({ cost: '0.03', currency: 'EUR' });
  await report({ cost: 'free', currency: 'EUR', network: `call +1415555${'2671'}` });
  await report({ status: 'seen', cost: '-0.05', currency: 'EUR' });
  const { carrier_price, network, read_at } = await facts();
  expect([carrier_price, network]).toEqual(['0.05', 'call +1415••••71']);
  expect(read_at).not.toBeNull();
  expect(await costs()).toMatchObject([
    { carrier: 'acme', country: 'US', currency: 'EUR', messages: 1, price: 0.05 },
  ]);
  expect(JSON.stringify(await alice.state(otp_id))).not.toMatch(/0\.05|network|read_at/);
});

test('a carrier that cannot report deliveries shows why', async () => {
  const { reports: _, ...silent } = record() as NonNullable<ReturnType<typeof record>>;
  await add(custom());
  expect((await setup()).reports_problem).toBeNull();
  await add(custom({ name: 'silent', record: JSON.stringify(silent) }));
  expect((await setup('silent')).reports_problem).toBe('no_reports');
  const { publicUrl } = service.app.config;
  service.app.config.publicUrl = 'http://127.0.0.1:8080';
  try {
    expect((await setup()).reports_problem).toBeNull();
    await add(custom({ name: 'far', api_url: 'https://sms.example.com' }));
    expect((await setup('far')).reports_problem).toBe('private_address');
  } finally {
    service.app.config.publicUrl = publicUrl;
  }
});

test.each([
  ['not JSON', '{', /not valid JSON/],
  ['an unknown member', '{"send": {}, "sent": {}}', /send|sent/],
  ['a secret in an address', '{api_url}/?key={password}', /must not contain the secret/],
  ['another protocol', 'ftp://files.example.com/{to}', /must begin with/],
])('a record with %s is refused at its field', async (_what, text, expected) => {
  const changed = record();
  if (changed) changed.send.url = text;
  const body = custom({ record: text.startsWith('{"') || text === '{' ? text : JSON.stringify(changed) });
  const answer = await olivia.call(createCarrierSetup, { body });
  expect(answer.status).toBe(400);
  expect(JSON.stringify((answer.body as unknown as { record?: string[] }).record)).toMatch(expected);
});

test.each([
  ['username', '', 'The record uses this field.'],
  ['feedback', 'verified', 'The record describes no feedback.'],
])('the field %s that does not fit its record is refused: %j', async (field, value, sentence) => {
  const refused = await add(custom({ [field]: value }));
  expect(refused).toMatchObject({ status: 400, body: { [field]: [sentence] } });
});

test('a secret must be entered again before another record can send it elsewhere', async () => {
  await add(custom());
  const { version } = await setup();
  const { password: _, ...rest } = custom({ record: JSON.stringify({ ...record(), check: undefined }) });
  const { name: _name, kind: _kind, ...values } = rest;
  const answer = await change({ ...values, is_enabled: true, url: undefined, version });
  expect(answer).toMatchObject({
    status: 400,
    body: { password: [expect.stringMatching(/Enter it again/)] },
  });
});

test('a preview shows the request and the meaning of reports without any secret, and sends nothing', async () => {
  const before = fake.requests;
  const { body } = await olivia.call(previewCarrier, {
    body: {
      kind: 'custom',
      record: JSON.stringify(record()),
      api_url: 'https://sms.example.com',
      username: 'acme',
      password: 'the secret password',
      sample: 'id=s1&status=delivered',
    },
  });
  expect(body).toMatchObject({
    problems: [],
    request: {
      method: 'POST',
      url: 'https://sms.example.com/a1/sms',
      headers: { authorization: 'Basic base64(acme:{password})' },
      body: expect.stringContaining('to=%2B14155552671'),
    },
    reports: [{ status: 'delivered', state: 'delivered', provider_message_id: 's1' }],
  });
  expect(JSON.stringify(body)).not.toContain('the secret password');
  expect(fake.requests).toBe(before);
  const empty = await olivia.call(previewCarrier, {
    body: { kind: 'custom', record: JSON.stringify(record()), api_url: 'https://api.example.com/%zz' },
  });
  expect(empty.body.request).toMatchObject({
    url: 'https://api.example.com/%zz/a1/sms',
    headers: { authorization: 'Basic base64({username}:{password})' },
  });
  const wrong = await olivia.call(previewCarrier, { body: { kind: 'custom', record: '{' } });
  expect(wrong.body).toMatchObject({ request: null, problems: ['The record is not valid JSON.'] });
  const program = await olivia.call(previewCarrier, { body: { kind: 'smtp' } });
  expect(program.body).toMatchObject({ request: null, problems: [], reports: null });
});

test('the check of a carrier of another kind, or of an unknown one, is not found', async () => {
  await add(gateway());
  for (const name of ['acme', 'nobody', 'smtp'])
    expect((await olivia.call(checkCarrier, { params: { name }, body: {} })).status).toBe(404);
});

test('feedback is off at first, needs a part of the record, and shows its request in the preview', async () => {
  const told = record();
  if (!told) throw new Error('No record');
  const feedback = {
    url: `${told.send.url}/{provider_id}`,
    body: { verified: true, code: '{code}' },
    format: 'json' as const,
  };
  const withFeedback = JSON.stringify({ ...told, feedback });
  const preview = async (more: object) => {
    const body = { kind: 'custom' as const, record: withFeedback, api_url: fake.url, ...more };
    return (await olivia.call(previewCarrier, { body })).body;
  };
  expect((await preview({})).feedback).toBeNull();
  const shown = await preview({ feedback: 'verified' });
  expect(shown.feedback?.url).toBe(`${shown.request?.url}/the-id-of-the-message`);
  expect(JSON.parse(shown.feedback?.body ?? '')).toEqual({ verified: true, code: '123456' });
  expect(shown.feedback?.headers.authorization).toBe(shown.request?.headers.authorization);
  expect((await add(custom({ feedback: 'verified' }))).body).toMatchObject({
    feedback: ['The record describes no feedback.'],
  });
  expect(await add(custom({ feedback: 'verified', record: withFeedback }))).toMatchObject({ status: 201 });
});
