import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { createConnection } from '@sixdigit/contract/connections.ts';
import { getInsights } from '@sixdigit/contract/insights.ts';
import { updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { getRecipient } from '@sixdigit/contract/recipients.ts';
import { listRequestLogs } from '@sixdigit/contract/request-logs.ts';
import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { Sixdigit } from 'sixdigit';
import { describe, expect, test } from 'vitest';
import { signedHeaders } from '../src/platform/signing/standard-webhooks.ts';
import { serviceWithCarriers } from './carriers.ts';
import { fixture } from './fixture.ts';
import { sender } from './sender.ts';
import { signedIn } from './signed-in.ts';

/** The same kind of value enters the service at several doors. Each spelling has the same meaning at all of them. */

const service = fixture(() => serviceWithCarriers(['http']));
const alice = fixture(() =>
  sender(service, 'Alice', { credits: 500, keys: 20, scopes: ['verify_services:write'] }),
);
const session = fixture(async () => ({ bearer: await signedIn(service, alice) }));
const origin = fixture(async () => ({ url: await service.listen() }));
const verifyService = fixture(async () => ({
  sid: (await twilio('POST', '/v2/Services', { FriendlyName: 'Shop' })).json().sid as string,
}));
const connection = fixture(async () => {
  const body = { system: 'webhook', name: 'Own', language: 'en' } as const;
  return { ...(await service.call(createConnection, { bearer: session.bearer, body })).body };
});

const json = (url: string, payload: unknown, headers: Record<string, string>) =>
  service.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: JSON.stringify(payload),
  });
const native = (path: string, payload: unknown) =>
  json(`/api/v1/otp/${path}/`, payload, { 'x-api-key': alice.key() });
const camara = (path: string, payload: unknown) =>
  json(`/compat/camara/one-time-password-sms/v1/${path}`, payload, {
    authorization: `Bearer ${alice.key()}`,
  });
const twilio = (method: 'GET' | 'POST', path: string, fields: Record<string, unknown> = {}) =>
  service.inject({
    method,
    url: `/compat/twilio${path}`,
    headers: {
      authorization: `Basic ${Buffer.from(`AC${alice.account_id.replaceAll('-', '')}:${alice.key()}`).toString('base64')}`,
      ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    ...(method === 'POST'
      ? { payload: new URLSearchParams(fields as Record<string, string>).toString() }
      : {}),
  });
const connected = (fields: object) => {
  const body = JSON.stringify(fields);
  const message = { id: `msg_${service.app.random.uuid()}`, at: service.app.clock.now(), body };
  return service.inject({
    method: 'POST',
    url: `/api/v1/in/${connection.id}/sms`,
    headers: { 'content-type': 'application/json', ...signedHeaders(message, [connection.secret]) },
    payload: body,
  });
};
const client = () => new Sixdigit({ apiKey: alice.key(), baseUrl: origin.url, retries: 0 });

let count = 0;
const phone = () => `+1415555${String(2000 + ++count)}`;

async function codeTo(recipient: string): Promise<string> {
  await service.drain();
  const message = service.http.messages.findLast((one) => one.recipient === recipient);
  return /\d{6}/.exec(String(message?.text))?.[0] ?? '';
}

/** The doors at which a code is entered: whether it was right. */
const CODE_DOORS: Record<string, (spelled: (code: string) => unknown) => Promise<boolean>> = {
  'POST /otp/verify/': async (spelled) => {
    const to = phone();
    const otp_id = await alice.sent(to);
    return (await native('verify', { otp_id, code: spelled(await codeTo(to)) })).statusCode === 200;
  },
  'CAMARA validate-code': async (spelled) => {
    const to = phone();
    const { authenticationId } = (
      await camara('send-code', { phoneNumber: to, message: 'Code {{code}}' })
    ).json();
    const code = spelled(await codeTo(to));
    return (await camara('validate-code', { authenticationId, code })).statusCode === 204;
  },
  'Twilio VerificationCheck': async (spelled) => {
    const to = phone();
    await twilio('POST', `/v2/Services/${verifyService.sid}/Verifications`, { To: to, Channel: 'sms' });
    const Code = String(spelled(await codeTo(to)));
    const checked = await twilio('POST', `/v2/Services/${verifyService.sid}/VerificationCheck`, {
      To: to,
      Code,
    });
    return checked.json().status === 'approved';
  },
  'the TypeScript client': async (spelled) => {
    const to = phone();
    const otp_id = await alice.sent(to);
    const code = spelled(await codeTo(to)) as string;
    return client()
      .verify({ otp_id, code })
      .then(
        () => true,
        () => false,
      );
  },
  'sign-up': async (spelled) => {
    const email = `door${++count}@example.com`;
    const password = 'a long password of a door';
    const body = { email, phone_number: phone(), password, confirm_password: password };
    const { session_token } = (await service.call(signUp, { body })).body as { session_token: string };
    const code = spelled(await codeTo(email)) as string;
    return (await service.call(verifyTwoFactor, { body: { session_token, code } })).status === 200;
  },
};

describe.each(Object.entries(CODE_DOORS))('a code at the door %s', (_, isRight) => {
  test.each<[string, (code: string) => unknown]>([
    ['as text', (code) => code],
    ['with a space', (code) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ['with a dash', (code) => `${code.slice(0, 3)}-${code.slice(3)}`],
    [
      'in full-width digits',
      (code) => code.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ],
    ['as a number', (code) => Number(code)],
  ])('a code %s is right', async (name, spelled) => {
    // A form has no numbers, so their zeros are lost before the service gets them.
    const zeros = name === 'as a number' && isRight === CODE_DOORS['Twilio VerificationCheck'];
    expect(await isRight(zeros ? (code) => code : spelled)).toBe(true);
  });

  test.each<[string, (code: string) => unknown]>([
    ['with a letter', (code) => `${code.slice(1)}x`],
    ['without a digit', (code) => code.slice(1)],
    ['as a decimal', () => 12.5],
    ['as a truth value', () => true],
  ])('a code %s is not right', async (_name, spelled) => {
    expect(await isRight(spelled)).toBe(false);
  });
});

/** The doors at which a phone number is named: the status, and the number that the service understood. */
const PHONE_DOORS: Record<string, (spelled: unknown) => Promise<string | undefined>> = {
  'POST /otp/send/': async (recipient) =>
    (await native('send', { channel: 'sms', recipient })).json().recipient,
  'POST /otp/check-destination/': async (recipient) =>
    (await native('check-destination', { channel: 'sms', recipient })).json().recipient,
  'a connection': async (recipient) => (await connected({ recipient, code: '424242' })).json().recipient,
  'the TypeScript client': async (recipient) =>
    (await client().send({ channel: 'sms', recipient: recipient as string })).recipient,
  'GET /recipients/history/': async (recipient) =>
    (
      await service.call(getRecipient, {
        bearer: session.bearer,
        query: { recipient: recipient as string },
      })
    ).body.recipient,
};

describe.each(Object.entries(PHONE_DOORS))('a phone number at the door %s', (_, understood) => {
  test.each<[string, (number: string) => unknown]>([
    ['in E.164', (number) => number],
    [
      'with separators',
      (number) => `${number.slice(0, 2)} (${number.slice(2, 5)}) ${number.slice(5, 8)}-${number.slice(8)}`,
    ],
    ['with 00', (number) => `00${number.slice(1)}`],
    ['as a national number', (number) => number.slice(2)],
    ['as a URI', (number) => `tel:${number}`],
    [
      'in full-width digits',
      (number) => number.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ],
    ['as a JSON number', (number) => Number(number.slice(1))],
  ])('a phone number %s is understood', async (_name, spelled) => {
    const number = phone();
    expect(await understood(spelled(number))).toBe(number);
  });
});

test.each([
  ['GET /recipients/history/', (to: string) => `/api/v1/recipients/history/?recipient=${to}`],
  ['GET /verifications/', (to: string) => `/api/v1/verifications/?search=${to}`],
  ['GET /logs/', (to: string) => `/api/v1/logs/?search=${to}`],
])('an unencoded plus sign in the query of %s is understood', async (_, url) => {
  const to = phone();
  await alice.sent(to);
  const headers = { authorization: `Bearer ${session.bearer}` };
  const { results } = (await service.inject({ url: url(to), headers })).json();
  expect(results).toHaveLength(1);
});

const TIME_DOORS: Record<string, (at: string) => Promise<number>> = {
  'GET /verifications/': async (created_after) =>
    (await service.call(listVerifications, { bearer: session.bearer, query: { created_after } })).status,
  'GET /logs/': async (created_before) =>
    (await service.call(listRequestLogs, { bearer: session.bearer, query: { created_before } })).status,
  'GET /audit/': async (created_after) =>
    (await service.call(listAuditEntries, { bearer: session.bearer, query: { created_after } })).status,
  'GET /insights/': async (from) =>
    (await service.call(getInsights, { bearer: session.bearer, query: { from, to: '2027-01-01' } })).status,
  "Twilio's attempts": async (at) =>
    (await twilio('GET', `/v2/Attempts?DateCreatedAfter=${encodeURIComponent(at)}`)).statusCode,
};

describe.each(Object.entries(TIME_DOORS))('a time at the door %s', (_, statusOf) => {
  test.each(['2026-11-20', '2026-11-20T10:20:30Z', '2026-11-20T10:20:30.5+02:00', '2026-11-20T10:20 02:00'])(
    '%s is understood',
    async (at) => expect(await statusOf(at)).toBe(200),
  );
  test.each(['2026-02-30', '2026-02-30T00:00:00Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z', 'today'])(
    '%s is refused',
    async (at) => expect(await statusOf(at)).toBe(400),
  );
});

test.each(['', 'de', 'de-AT', 'de_AT.UTF-8', 'DE', 'tlh', '?'])(
  'the language %j is understood by Twilio’s calls and by connections',
  async (locale) => {
    const isGerman = /^de/i.test(locale);
    const [one, two] = [phone(), phone()];
    const started = await twilio('POST', `/v2/Services/${verifyService.sid}/Verifications`, {
      To: one,
      Channel: 'sms',
      Locale: locale,
    });
    expect(started.statusCode).toBe(201);
    expect((await connected({ recipient: two, code: '424242', locale })).statusCode).toBe(200);
    await service.drain();
    for (const to of [one, two]) {
      const message = service.http.messages.findLast((sent) => sent.recipient === to);
      expect(/Ihr|dein/i.test(String(message?.text)), String(message?.text)).toBe(isGerman);
    }
  },
);

const bearer = () => ({ authorization: `Bearer ${session.bearer}` });
const found = async (url: string, headers: Record<string, string>) =>
  (await service.inject({ url, headers })).statusCode;

/** The doors at which an id is named: the status. */
const ID_DOORS: Record<string, (spelled: (id: string) => string) => Promise<number>> = {
  'GET /otp/{otp_id}/': async (spelled) =>
    found(`/api/v1/otp/${spelled(await alice.sent(phone()))}/`, { 'x-api-key': alice.key() }),
  'POST /otp/verify/': async (spelled) => {
    const to = phone();
    const otp_id = decodeURIComponent(spelled(await alice.sent(to)));
    return (await native('verify', { otp_id, code: await codeTo(to) })).statusCode;
  },
  'GET /verifications/{id}/': async (spelled) =>
    found(`/api/v1/verifications/${spelled(await alice.sent(phone()))}/`, bearer()),
  "Twilio's services": async (spelled) =>
    (await twilio('GET', `/v2/Services/${spelled(verifyService.sid)}`)).statusCode,
};

describe.each(Object.entries(ID_DOORS))('an id at the door %s', (_, statusOf) => {
  test.each<[string, (id: string) => string]>([
    ['in upper case', (id) => id.toUpperCase()],
    ['in lower case', (id) => id.toLowerCase()],
    ['with spaces around it', (id) => `%20${id}%20`],
  ])('an id %s is understood', async (_name, spelled) => expect(await statusOf(spelled)).toBe(200));
});

const KEY_FILTERS = ['/verifications/', '/logs/', '/insights/', '/verifications/figures/'];

test.each([...KEY_FILTERS, '/protection/decisions/'])(
  'a key that is not an id, or no key, is refused as a filter of GET %s instead of finding nothing',
  async (path) => {
    const { results } = (await service.inject({ url: '/api/v1/api-keys/', headers: bearer() })).json();
    const statuses = ['', 'none', `%20${results[0].id.toUpperCase()}%20`].map((key) =>
      found(`/api/v1${path}?api_key=${key}`, bearer()),
    );
    expect(await Promise.all(statuses)).toEqual([400, 400, 200]);
  },
);

test.each([...KEY_FILTERS, '/protection/decisions/'])(
  'the country of GET %s is understood in lower case and with spaces around it',
  async (path) => expect(await found(`/api/v1${path}?country=%20us%20`, bearer())).toBe(200),
);

test('the countries of the country rule are understood in lower case and with spaces around them', async () => {
  const body = { rules: { country: { countries: ['us', ' ca '] } } };
  const { status, body: stored } = await service.call(updateProtection, { bearer: session.bearer, body });
  expect([status, stored.rules?.country.countries]).toEqual([200, ['US', 'CA']]);
});

test.each(['/verifications/?own_code=', '/invitations/?links='])(
  'the truth value of GET %s is understood as Python writes it',
  async (path) => {
    expect(await found(`/api/v1${path}False`, bearer())).toBe(200);
    expect(await found(`/api/v1${path}no`, bearer())).toBe(400);
  },
);

test.each([
  ['pt_BR', 'pt-BR'],
  ['DE', 'de'],
  ['de-AT', 'de'],
])('the language %s is understood as a setting of the account and of a connection', async (tag, language) => {
  const branding = { default_language: tag as never };
  const account = await service.call(updateBranding, { bearer: session.bearer, body: branding });
  expect(account.body).toMatchObject({ default_language: language });
  const body = { system: 'webhook', name: 'Other', language: tag as never } as const;
  const made = await service.call(createConnection, { bearer: session.bearer, body });
  expect(made.body).toMatchObject({ language });
});

test('spaces around an allowed network of a key are ignored', async () => {
  const body = { name: 'Office', allowed_networks: [' 203.0.113.0/24 '] };
  const { status } = await service.call(createApiKey, { bearer: session.bearer, body });
  expect(status).toBe(201);
});

test.each(['/verifications/', '/logs/', '/api-keys/', '/webhooks/', '/payments/history/', '/audit/'])(
  'a filter that GET %s does not have is refused instead of ignored',
  async (path) => {
    const headers = { authorization: `Bearer ${session.bearer}` };
    const answer = await service.inject({ url: `/api/v1${path}?created_afer=1`, headers });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().created_afer).toEqual([expect.stringContaining('There is no such parameter.')]);
  },
);
