import type { CarrierRecord } from '@sixdigit/contract/operator/carrier-record.ts';
import { CARRIER_KIND_FACTS, CARRIER_KINDS } from '@sixdigit/contract/operator/carrier-setups.ts';
import { describe, expect, test } from 'vitest';
import { carrierMessage } from '../../../../../test/carrier-message.ts';
import { readRecord, recordProblems } from './check.ts';
import { filled, filledBody, filledUrl } from './fill.ts';
import { outcomeOf } from './outcome.ts';
import { maskedSecrets, recordRequest } from './record.ts';
import { inboundTextsOf, reportsOf } from './reports.ts';
import { messageValues, requestOf } from './request.ts';

const { fields } = CARRIER_KIND_FACTS.custom;
const record: CarrierRecord = {
  send: {
    url: '{api_url}/v1/{username}/messages',
    headers: { 'x-request': '{id}' },
    auth: { type: 'basic', username: '{username}', password: '{password}' },
    format: 'json',
    body: { to: '{to}', text: '{text}', report: '{report_url}', ref: '{reference}', life: '{seconds_left}' },
    id: 'data.id',
    error: ['error.code', 'errors.0.code'],
    errors: {
      '21': 'permanent',
      STOPPED: 'opted_out',
      busy: 'retry',
      '7': 'next_carrier',
      http_402: 'carrier_down',
    },
  },
  reports: {
    id: 'id',
    reference: 'ref',
    status: ['detail', 'status'],
    statuses: { DELIVRD: 'delivered', READ: 'read', undeliv: 'failed', ACCEPTD: 'sent', ENROUTE: 'other' },
    error: 'err',
    reasons: { '404': 'unknown_recipient' },
    price: 'cost.amount',
    currency: 'cost.currency',
    network: 'net',
  },
  inbound: { list: 'messages', from: 'from', to: 'to', text: ['text', 'body'] },
};
const values = {
  api_url: 'https://api.example.com/',
  username: 'acme & co',
  password: 'pass:word',
};

test('the words of a response hide secrets, also in base64, with the user name, escaped and in addresses', () => {
  const secret = 's3cret?>key/"~';
  const base64 = (text: string, encoding: 'base64' | 'base64url' = 'base64') =>
    Buffer.from(text).toString(encoding);
  for (const quoted of [
    secret,
    base64(secret),
    base64(`acme:${secret}`),
    base64(`${secret}:acme`, 'base64url'),
    base64(`???${secret}`).replaceAll('/', '\\/'),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    encodeURIComponent(secret),
  ]) {
    const shown = maskedSecrets(`{"error":"denied","authorization":"Basic ${quoted}"}`, [secret]);
    expect(shown).toBe('{"error":"denied","authorization":"Basic •••"}');
  }
  const harmless = `{"id":"${base64('nothing secret here')}"}`;
  expect(maskedSecrets(harmless, [secret])).toBe(harmless);
});

describe('filling', () => {
  test.each([
    ['{a}', { a: '1' }, '1'],
    ['{a}-{b}', { a: 'x', b: 2 }, 'x-2'],
    ['{a}-{b}', { a: 'x' }, undefined],
    ['{a}', { a: '' }, undefined],
    ['{a}', { a: '{b}', b: 'secret' }, '{b}'],
    ['{constructor}', {}, undefined],
    ['{A} {}', {}, '{A} {}'],
    ['$& {a}', { a: '$1' }, '$& $1'],
  ])('the template %j with %j becomes %j', (template, given, expected) => {
    expect(filled(template, given)).toBe(expected);
  });

  test('members without a value are left out, and a lone placeholder keeps its type', () => {
    const body = { a: '{n}', b: 'x{n}', c: '{none}', d: ['{none}', '{n}'], e: { f: '{none}' }, g: false };
    expect(filledBody(body, { n: 3 })).toEqual({ a: 3, b: 'x3', d: [3], e: {}, g: false });
    const tags = [
      { name: 'id', value: '{none}' },
      { name: 'n', value: '{n}' },
    ];
    expect(filledBody({ tags }, { n: 3 })).toEqual({ tags: [{ name: 'n', value: 3 }] });
  });

  test.each([
    ['{api_url}/a', { api_url: 'https://x.example/base/' }, 'https://x.example/base/a'],
    ['{api_url}/{p}', { api_url: 'https://x.example', p: '../a?b#c' }, 'https://x.example/..%2Fa%3Fb%23c'],
    ['https://x.example/{p}', { p: 'ü' }, 'https://x.example/%C3%BC'],
    ['https://x.example/{p}', {}, undefined],
    ['{api_url}/a', { api_url: 'nothing' }, undefined],
  ])('the address %j with %j becomes %j', (template, given, expected) => {
    expect(filledUrl(template, given)?.href).toBe(expected);
  });
});

describe('requests', () => {
  const made = (
    over: Parameters<typeof carrierMessage>[0] = {},
    more: Partial<CarrierRecord['send']> = {},
  ) => {
    const message = carrierMessage({
      status_url: 'https://otp.example/s/?otp=1',
      reference: 'ref1',
      ...over,
    });
    const now = new Date(message.expires_at.getTime() - 299_500);
    const own = { ...record, send: { ...record.send, ...more } };
    return requestOf(own, messageValues(own, values, { message, now, names: { brandName: 'Acme' } }), now);
  };

  test('a record makes the request of a message', () => {
    const request = made();
    expect(request?.url.href).toBe('https://api.example.com/v1/acme%20%26%20co/messages');
    expect(request?.headers).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      'x-request': carrierMessage().id,
      authorization: `Basic ${Buffer.from('acme & co:pass:word').toString('base64')}`,
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      to: carrierMessage().recipient,
      text: carrierMessage().text,
      report: 'https://otp.example/s/?reference=ref1',
      ref: 'ref1',
      life: 299,
    });
  });

  test('a text cannot add members or fields to a request', () => {
    const text = '", "to": "+1900" {to} & to=+1900\r\nX: y';
    expect(JSON.parse(made({ text })?.body ?? '')).toMatchObject({ to: carrierMessage().recipient, text });
    const form = new URLSearchParams(made({ text }, { format: 'form' })?.body);
    expect([form.getAll('to'), form.get('text')]).toEqual([[carrierMessage().recipient], text]);
  });

  test('a record names the ids of a registered text, and leaves them out of other messages', () => {
    const body = { text: '{text}', entity: '{dlt_entity_id}', content: '{dlt_template_id}' };
    const dlt = { entity_id: '1701158019630577568', template_id: '1107158091234567890' };
    expect(JSON.parse(made({ dlt }, { body })?.body ?? '')).toEqual({
      text: carrierMessage().text,
      entity: dlt.entity_id,
      content: dlt.template_id,
    });
    expect(JSON.parse(made({}, { body })?.body ?? '')).toEqual({ text: carrierMessage().text });
  });

  test('the life of a message stays within the limits of the company', () => {
    expect(JSON.parse(made({}, { seconds_left: [600, 900] })?.body ?? '')).toMatchObject({ life: 600 });
    expect(JSON.parse(made({}, { seconds_left: [1, 60] })?.body ?? '')).toMatchObject({ life: 60 });
  });
});

test('a request has the sender of its recipient’s country', () => {
  const own = { ...record, send: { ...record.send, body: { from: '{from}', to: '{to}', text: '{text}' } } };
  const fields = { ...values, from: 'Acme', senders: 'US +12025550123' };
  const sent = (recipient: string) => {
    const names = { brandName: 'Acme' };
    const given = { message: carrierMessage({ recipient }), now: new Date(), names };
    const request = recordRequest(own, fields, given);
    return (JSON.parse(request?.body ?? '') as { from: string }).from;
  };
  expect([sent('+12125550100'), sent('+46701234567')]).toEqual(['+12025550123', 'Acme']);
});

describe('responses', () => {
  const outcome = (status: number, body: unknown, code = '123456') =>
    outcomeOf(
      record,
      { label: 'Acme', kind: 'custom' },
      {
        status,
        text: typeof body === 'string' ? body : JSON.stringify(body),
        message: { code },
      },
    );

  test.each([
    [200, { data: { id: 'm1' } }, { kind: 'accepted', provider_message_id: 'm1' }],
    [202, { data: { id: 7 } }, { kind: 'accepted', provider_message_id: '7' }],
    [200, { data: {} }, { kind: 'uncertain', reason: 'unreadable_response' }],
    [200, { data: { id: 'x'.repeat(201) } }, { kind: 'uncertain' }],
    [200, { data: { id: 'a\u0000b' } }, { kind: 'uncertain' }],
    [200, '<!doctype html><title>Sign in</title>', { kind: 'uncertain' }],
    [200, '\u001f\u008b\u0008\u0000', { kind: 'uncertain' }],
    [200, '[]', { kind: 'uncertain' }],
    [200, { ok: false, error: { code: 'NEW' } }, { kind: 'refused', reason: 'custom_new' }],
    [200, { data: { id: 'm1' }, error: { code: 21 } }, { reason: 'invalid_recipient', final: true }],
    [400, { error: { code: '21' } }, { reason: 'invalid_recipient', final: true }],
    [400, { errors: [{ code: 'stopped' }] }, { reason: 'unsubscribed', unsubscribed: true, final: true }],
    [400, { error: { code: 'https://docs.example/errors#21' } }, { final: true }],
    [400, { error: { code: 'BUSY' } }, { temporary: true, rest: true }],
    [400, { error: { code: '7' } }, { reason: 'custom_7' }],
    [400, { error: { code: '99' } }, { reason: 'custom_99' }],
    [402, {}, { reason: 'carrier_misconfigured', rest: true }],
    [307, '', { rest: true }],
    [401, '', { reason: 'carrier_unauthorized', rest: true }],
    [429, '', { reason: 'rate_limited', temporary: true }],
    [503, '<b>down</b>', { reason: 'carrier_error', temporary: true }],
  ])('the response %i %j is understood', (status, body, expected) => {
    expect(outcome(status, body)).toMatchObject(expected);
  });

  test('neither a code, a number nor markup of a company becomes a stored reason', () => {
    for (const code of ['123456', '4155550100', '<b>x</b>', 'a'.repeat(60), 'c_12_34_56', '1234'])
      expect(JSON.stringify(outcome(400, { error: { code } }))).not.toContain(code);
    expect(JSON.stringify(outcome(400, { error: { code: '321' } }, '321'))).not.toContain('321');
  });
});

describe('reports', () => {
  const read = (body: unknown) => reportsOf('custom', record.reports as never, body);
  test.each([
    [
      { id: 'm1', ref: 'r', status: 'DELIVRD' },
      { state: 'delivered', provider_message_id: 'm1', reference: 'r', is_read: false },
    ],
    [{ status: 'READ' }, { state: 'delivered', is_read: true }],
    [
      { status: 'delivrd', detail: 'other' },
      { state: 'delivered', provider_message_id: null },
    ],
    [
      { status: 'UNDELIV', err: 404 },
      { state: 'undelivered', reason: 'unknown_recipient' },
    ],
    [
      { status: 'UNDELIV', err: 12 },
      { state: 'undelivered', reason: 'custom_12' },
    ],
    [
      { status: 'UNDELIV', err: '123456' },
      { state: 'undelivered', reason: 'undeliv' },
    ],
    [
      { status: 'UNDELIV', err: '<i>' },
      { state: 'undelivered', reason: 'undeliv' },
    ],
    [
      { status: 'UNDELIV', err: 0 },
      { state: 'undelivered', reason: 'undeliv' },
    ],
    [{ status: 'ACCEPTD' }, { state: 'sent', reason: null }],
    [{ status: 'ENROUTE' }, { state: 'other', reason: null }],
    [{ status: 'NEW' }, { state: 'unknown', status: 'NEW' }],
    [{ status: { a: 1 } }, { state: 'unknown', status: null }],
    [{}, { state: 'unknown', status: null }],
    [
      { cost: { amount: 0.01, currency: 'EUR' }, net: '310260' },
      { price: '0.01 EUR', network: '310260' },
    ],
    [{ cost: { amount: 0.02 } }, { price: '0.02' }],
    ['text', { state: 'unknown' }],
    [null, { state: 'unknown' }],
  ])('the report %j is read', (body, expected) => {
    expect(read(body)).toEqual([expect.objectContaining(expected)]);
  });

  test('a list can hold several reports, and others are left out', () => {
    const own = { ...record.reports, list: 'all', only: { type: ['dlr', ''] } } as never;
    const all = [{ type: 'dlr', id: '1' }, { type: 'mo', id: '2' }, { id: '3' }];
    expect(reportsOf('custom', own, { all }).map((one) => one.provider_message_id)).toEqual(['1', '3']);
    for (const body of [{}, { all: {} }, { all: 'x' }, null, 7])
      expect(reportsOf('custom', own, body)).toEqual([]);
    expect(reportsOf('custom', own, { all: Array(10_000).fill({ id: '1' }) })).toHaveLength(500);
  });

  test.each([
    [{ messages: [{ from: '14155550100', text: 'STOP' }] }, [{ from: '+14155550100', body: 'STOP' }]],
    [{ messages: [{ from: 'ACME', body: '' }] }, [{ from: 'ACME', to: null, body: '' }]],
    [{ messages: [{ from: '+1', to: '12345', text: 'x' }] }, [{ to: '12345' }]],
    [{ messages: [{ from: '+1', text: 7 }, { text: 'x' }] }, []],
    [{}, []],
    [null, []],
  ])('the texts in %j are read', (body, expected) => {
    expect(inboundTextsOf(record.inbound as never, body)).toEqual(
      expected.map((one) => expect.objectContaining(one)),
    );
  });
});

describe('checks', () => {
  const withSend = (send: object) => ({ ...record, send: { ...record.send, ...send } }) as CarrierRecord;
  const withReports = (reports: object) =>
    ({ ...record, reports: { ...record.reports, ...reports } }) as CarrierRecord;

  test.each(CARRIER_KINDS.filter((kind) => CARRIER_KIND_FACTS[kind].preset))(
    'the preset %s is a valid record',
    (kind) => {
      const { preset, fields: own } = CARRIER_KIND_FACTS[kind];
      const read = readRecord(JSON.stringify(preset?.record), own);
      expect(read).toEqual({ record: preset?.record });
    },
  );

  test('a right record has no problems', () => {
    expect(recordProblems(record, fields)).toEqual([]);
  });

  test.each([
    [withSend({ url: 'https://x.example/?key={password}' }), /must not contain the secret \{password\}/],
    [withSend({ url: 'https://x.example/{text}' }), /send.url must not contain \{text\}/],
    [withSend({ url: 'https://{username}.example/' }), /must begin with/],
    [withSend({ url: 'file:///etc/passwd' }), /must begin with/],
    [{ ...record, check: { url: '{api_url}/{to}' } }, /check.url must not contain \{to\}/],
    [{ ...record, check: { url: 'https://other.example.com/me' } }, /check.url must begin as send.url does/],
    [
      {
        ...record,
        unsuppress: { url: 'https://other.example.com/{to}', method: 'DELETE' as const, body: {} },
      },
      /unsuppress.url must begin as send.url does/,
    ],
    [
      { ...record, unsuppress: { url: '{api_url}/list', method: 'DELETE' as const, body: {} } },
      /unsuppress.url or unsuppress.body must contain \{to\}/,
    ],
    [withSend({ headers: { Host: 'x' } }), /must not set Host/],
    [withSend({ headers: { 'X-Api-Key': 'literal' } }), /placeholder of a secret field/],
    [withSend({ headers: { 'X-Note': '{text}' } }), /must not contain \{text\}/],
    [withSend({ auth: { type: 'bearer', token: 'literal' } }), /placeholder of a secret field/],
    [withSend({ body: { to: '{to}', text: '{txt}', u: '{report_url}' } }), /must not contain \{txt\}/],
    [
      withSend({ body: { to: '{to}', text: '{text}', u: '{report_url}', login: { apiKey: 'literal' } } }),
      /send.body.apiKey must be the placeholder/,
    ],
    [withSend({ body: { to: '{to}', u: '{report_url}' } }), /must contain \{text\}/],
    [withSend({ body: { text: '{text}', u: '{report_url}' } }), /must contain \{to\}/],
    [withSend({ body: { text: '{text}', to: '{to}' } }), /must contain \{report_url\}/],
    [withReports({ statuses: { delivered: 'failed' } }), /must not read delivered as failed/],
    [withReports({ statuses: { DELIVRD: 'hard_bounce' } }), /must not read DELIVRD as hard_bounce/],
    [withReports({ statuses: { Rejected: 'delivered' } }), /must not read Rejected as delivered/],
    [withReports({ statuses: { undelivered: 'read' } }), /must not read undelivered as read/],
    [withReports({ statuses: { a: 'sent', A: 'failed' } }), /two meanings for A/],
    [withReports({ is_registered: true, reference: undefined }), /must return \{reference\} or \{id\}/],
    [
      withReports({ proof: { type: 'hmac', key: 'literal', over: '{body}', header: 'x', encoding: 'hex' } }),
      /must take its key from a field/,
    ],
    [
      withReports({
        proof: { type: 'hmac', key: '{signing_key}', over: '{boddy}', header: 'x', encoding: 'hex' },
      }),
      /must not contain \{boddy\}/,
    ],
    [
      withReports({
        proof: {
          ...{ type: 'hmac', key: '{signing_key}', over: '{body}', header: 'x', encoding: 'hex' },
          timestamp: { header: 'x-time', within_seconds: 300 },
        },
      }),
      /must contain \{timestamp\}/,
    ],
  ])('a wrong record is refused (case %#)', (wrong, expected) => {
    expect(recordProblems(wrong, fields).join(' ')).toMatch(expected);
  });

  test.each([
    ['', 'The record is not valid JSON.'],
    ['[]', /record/i],
    ['{"send": {"url": 1}}', /send\.url/],
    ['{"send": {}, "sent": {}}', /sent/],
    [JSON.stringify({ ...record, reports: { ...record.reports, status: 'a..b' } }), /Write a path/],
    [`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, /./],
  ])('a text that is not a record gets a sentence (case %#)', (text, expected) => {
    const read = readRecord(text, fields);
    expect('problems' in read && read.problems.join(' ')).toMatch(expected);
  });
});

test('a company gets its own name of a language, and our tag if it has none', () => {
  const { preset } = CARRIER_KIND_FACTS.whatsapp;
  if (!preset) throw new Error('WhatsApp is a preset');
  const given = { api_url: 'https://graph.example.com', phone_number_id: '101', access_token: 'token' };
  const languageIn = (message: { language?: string }) => {
    const now = new Date('2026-11-21T03:55:00.000Z');
    const names = { brandName: 'Acme' };
    const filledIn = messageValues(preset.record, given, { message: carrierMessage(message), now, names });
    const { body = '{}' } = requestOf(preset.record, filledIn, now) ?? {};
    return (JSON.parse(body) as { template: { language: { code: string } } }).template.language.code;
  };
  expect(['pt-BR', 'zh-Hant', 'tl', 'de'].map((language) => languageIn({ language }))).toEqual([
    'pt_BR',
    'zh_TW',
    'fil',
    'de',
  ]);
  expect(languageIn({})).toBe('en');
});
