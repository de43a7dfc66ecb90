import {
  checkCarrier,
  createCarrierSetup,
  listCarrierSetups,
  prepareCarrier,
  updateCarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { listOperatorActions } from '@sixdigit/contract/operator/operator.ts';
import { beforeAll, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../../../test/carriers.ts';
import { whatsappAccount } from '../../../../../test/fakes/companies/chats.ts';
import { type Incoming, listen, type Reply } from '../../../../../test/fakes/http-listener.ts';
import { fixture } from '../../../../../test/fixture.ts';
import { testOperator } from '../../../../../test/operator.ts';

/** What “Set Up at Meta” and the check of a WhatsApp carrier do. */
const service = fixture(() => serviceWithCarriers(['smtp'], { EMAIL_CARRIERS: 'smtp' }));
const olivia = fixture(() => testOperator(service));
const approvals: Record<string, string> = { ja: 'PENDING', th: 'REJECTED' };
const account = whatsappAccount('201', { approves: (language) => approvals[language] ?? 'APPROVED' });
let answer: Reply | undefined;
const meta = fixture(async () => {
  const listener = await listen((request: Incoming) => {
    if (request.headers.authorization !== 'Bearer meta-token')
      return { status: 401, body: { error: { code: 190 } } };
    return answer ?? account.about(request) ?? { status: 404, body: { error: { code: 2500 } } };
  });
  return { url: listener.origin, [Symbol.asyncDispose]: () => listener.close() };
});

const name = 'whatsapp';
const fields = {
  phone_number_id: '101',
  waba_id: '201',
  access_token: 'meta-token',
  app_secret: 'app-secret',
};
const change = async (more: object) => {
  const { setups } = (await olivia.call(listCarrierSetups)).body;
  const { version = 0 } = setups.find((one) => one.name === name) ?? {};
  const body = {
    channels: ['whatsapp'],
    is_enabled: true,
    ...fields,
    api_url: meta.url,
    version,
    reason: 'Apps',
    ...more,
  };
  return olivia.call(updateCarrierSetup, { params: { name }, body: body as never });
};
const ask = (route: typeof checkCarrier | typeof prepareCarrier) =>
  olivia.call(route, { params: { name }, body: {} });
beforeAll(async () => {
  account.languages.clear();
  account.isSubscribed = false;
  const body = {
    name,
    kind: 'whatsapp',
    channels: ['whatsapp'],
    ...fields,
    code_minutes: '5',
    api_url: meta.url,
    reason: 'New',
  };
  expect(await olivia.call(createCarrierSetup, { body: body as never })).toMatchObject({ status: 201 });
});

test('an account without template and subscription is a problem, and setting it up creates both', async () => {
  expect((await ask(checkCarrier)).body).toMatchObject({
    level: 'problem',
    says: expect.stringContaining('no app is subscribed'),
    advice: expect.stringContaining('Set Up at Meta'),
  });
  expect((await ask(prepareCarrier)).body).toEqual({
    level: 'warning',
    says: 'The template verification_code is approved in 38 of 40 languages, and the app is subscribed. Others: ja (pending), th (rejected).',
    advice: 'Codes in these languages are refused until Meta approves the template.',
  });
  expect(account.isSubscribed).toBe(true);
  expect(account.template).toMatchObject({
    name: 'verification_code',
    languages: expect.arrayContaining(['en', 'pt_BR', 'pt_PT', 'zh_CN', 'zh_TW', 'fil']),
    components: expect.arrayContaining([{ type: 'FOOTER', code_expiration_minutes: 5 }]),
  });
  account.languages.set('ja', 'APPROVED').set('th', 'APPROVED');
  expect((await ask(checkCarrier)).body).toMatchObject({ level: 'ok', advice: null });
});

test('the template fills the code into the Android apps of the carrier, after a tap or without one', async () => {
  const buttons = () => account.template?.components.find(({ type }) => type === 'BUTTONS')?.buttons;
  expect(buttons()).toEqual([{ type: 'OTP', otp_type: 'COPY_CODE' }]);
  const apps = { android_apps: 'com.acme.app K8a/AINcGX7, com.acme.beta K8a/AINcGX8' };
  const supported_apps = [
    { package_name: 'com.acme.app', signature_hash: 'K8a/AINcGX7' },
    { package_name: 'com.acme.beta', signature_hash: 'K8a/AINcGX8' },
  ];
  expect((await change(apps)).status).toBe(200);
  expect((await ask(prepareCarrier)).body).not.toMatchObject({ level: 'problem' });
  expect(buttons()).toEqual([{ type: 'OTP', otp_type: 'ONE_TAP', supported_apps }]);
  expect((await change({ ...apps, autofill: 'zero_tap' })).status).toBe(200);
  await ask(prepareCarrier);
  expect(buttons()).toEqual([
    { type: 'OTP', otp_type: 'ZERO_TAP', zero_tap_terms_accepted: true, supported_apps },
  ]);
});

test.each([
  'com.acme.app',
  'acme K8a/AINcGX7',
  'com.acme.app K8a/AINcGX',
  'com.acme.app K8a/AINcGX7 x',
  '1.a K8a/AINcGX7',
])('the Android apps %j are refused', async (android_apps) => {
  expect(await change({ android_apps })).toMatchObject({
    status: 400,
    body: { android_apps: [expect.stringContaining('com.acme.app K8a/AINcGX7')] },
  });
});

test('a carrier of the console with the name of its kind is not shown as one of the environment', async () => {
  const { setups } = (await olivia.call(listCarrierSetups)).body;
  expect(setups.filter((one) => one.name === name).map(({ source }) => source)).toEqual(['console']);
});

test('an answer of Meta that refuses the request is a problem, and its own words are not shown', async () => {
  answer = { status: 400, body: { error: { code: 200, message: 'Permissions error for +14155552671' } } };
  const { body } = await ask(prepareCarrier);
  answer = { status: 503, body: {} };
  const busy = await ask(checkCarrier);
  answer = undefined;
  expect(body).toMatchObject({ level: 'problem', says: expect.stringContaining('(error 200)') });
  expect(JSON.stringify(body)).not.toContain('4155552671');
  expect(busy.body).toMatchObject({ level: 'warning', says: expect.stringContaining('HTTP 503') });
});

test('only a carrier that needs something at its company can be set up there, and the audit log has it', async () => {
  const other = { params: { name: 'smtp' }, body: {} };
  expect((await olivia.call(prepareCarrier, other)).status).toBe(404);
  const { body } = await olivia.call(listOperatorActions, { query: { action: 'carrier.prepare' } as never });
  expect(JSON.stringify(body)).toContain('carrier.prepare');
});
