/** What each system's own code decides, without a service. */

import { SYSTEMS, type SystemName } from '@sixdigit/contract/connection-list.ts';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { Failure } from '../../platform/http/failure.ts';
import { systemRandom } from '../../platform/security/random.ts';
import { refusalOf } from '../refusal.ts';
import type { Inbound, Refusal } from '../system.ts';
import { SYSTEM } from './systems.ts';

const random = systemRandom(systemClock);
const now = new Date('2026-02-03T04:05:06Z');
const connection_id = random.uuid();
const CASES = SYSTEMS.flatMap((name) =>
  SYSTEM[name].kinds.map((kind) => ({ name, kind, system: SYSTEM[name] })),
);

const inbound = (
  given: { headers?: Inbound['headers']; body: string | object } & Partial<Inbound>,
): Inbound => {
  const text = typeof given.body === 'string' ? given.body : JSON.stringify(given.body);
  const known = { connection_id, kind: 'sms', params: {}, code_pattern: null, now } as const;
  return { ...known, headers: {}, ...given, text, bytes: Buffer.from(text) };
};

describe.each(CASES)('$name, $kind', ({ kind, system }) => {
  const recipient = kind === 'email' ? 'ana+codes@example.com' : '+14155550199';

  test('a played request has the secret, and asks for its code to its recipient', () => {
    const secret = system.newSecret({ random });
    const {
      path = '',
      headers,
      body,
    } = system.play({
      ...{ kind, recipient, code: '246810', secret, connection_id, now, random },
    });
    const account = /Accounts\/(\w+)/.exec(path)?.[1];
    const request = inbound({ headers, body, kind, params: account ? { account } : {} });
    const isFrom = (one: string) =>
      (system.isFromHead?.(request, [one]) || system.isFromBody?.(request, [one])) ?? false;
    expect([secret, system.newSecret({ random })].map(isFrom)).toEqual([true, false]);
    expect(system.read(request)).toMatchObject([{ recipient, code: '246810' }]);
  });

  test('the settings to paste name the address of the kind', () => {
    const secret = system.newSecret({ random });
    const settings = system.settings({
      connection_id,
      secret,
      urlOf: (one) => `https://codes.test/${one}/end`,
    });
    expect(settings.map(({ value }) => value).join('\n')).toContain(`https://codes.test/${kind}/end`);
  });
});

test.each<[SystemName, object, object[]]>([
  ['authentik', { to: '1', code: '246810' }, [{ recipient: '1', code: '246810' }]],
  ['fusionauth', { phoneNumber: '1', message: 'Code 246810' }, [{ recipient: '1', code: '246810' }]],
  ['novu', { recipient: '1', text: 'Code 246810' }, [{ recipient: '1', code: '246810' }]],
  ['novu', { recipient: '1', message: 'Code 246810' }, [{ recipient: '1', code: '246810' }]],
  [
    'zitadel',
    { contextInfo: { recipientPhoneNumber: '1' }, args: { Code: '246810' } },
    [{ recipient: '1', code: '246810' }],
  ],
  ...['login_code', 'registration_code', 'verification_code', 'recovery_code', 'settings_code'].map(
    (name): [SystemName, object, object[]] => [
      'kratos',
      { recipient: '1', template_data: { [name]: '246810' } },
      [{ recipient: '1', code: '246810' }],
    ],
  ),
  ...['new_phone', 'phone_change'].map((name): [SystemName, object, object[]] => [
    'supabase',
    { user: { phone: '14155550100', [name]: '14155550199' }, sms: { otp: '246810' } },
    [{ recipient: '+14155550199', code: '246810' }],
  ]),
])('%s: %j, with other names of its fields, is understood', (name, body, wanted) => {
  expect(SYSTEM[name].read(inbound({ body }))).toMatchObject(wanted);
});

test.each(['new_email', 'email_change'])('Supabase: a change with %s has a code for each address', (name) => {
  const user = { email: 'old@example.com', [name]: 'new@example.com' };
  const read = (data: object) =>
    SYSTEM.supabase.read(
      inbound({ kind: 'email', body: { user, email_data: { token: '111111', ...data } } }),
    );
  const [old, fresh] = [{ recipient: 'old@example.com' }, { recipient: 'new@example.com' }];
  const changed = { email_action_type: 'email_change' };
  expect(read({ ...changed, token_new: '222222' })).toMatchObject([
    { ...old, code: '111111' },
    { ...fresh, code: '222222' },
  ]);
  expect(read(changed)).toMatchObject([{ ...fresh, code: '111111' }]);
  expect(read({ email_action_type: 'recovery' })).toMatchObject([{ ...old, code: '111111' }]);
});

const refusal: Refusal = {
  status: 429,
  reason: 'rate_limited',
  sentence: 'Wait.',
  retry_after: 7,
  body: { retry_after: 7 },
};
const invalid: Refusal = {
  status: 400,
  reason: 'invalid_fields',
  sentence: 'Enter a number.',
  retry_after: undefined,
  body: { recipient: ['Enter a number.'] },
};
const twilio = (code: number, message: string, status: number) => ({
  code,
  message,
  more_info: `https://www.twilio.com/docs/errors/${code}`,
  status,
});
/** The forms that are not our own, each for a refusal with a wait and for one without. */
const FORMS: Partial<Record<SystemName, [headers: object, body: unknown][]>> = {
  supabase: [
    [{}, { error: { http_code: 429, message: 'Wait.' } }],
    [{}, { error: { http_code: 400, message: 'Enter a number.' } }],
  ],
  logto: [
    [{}, { message: 'Wait.', reason: 'rate_limited' }],
    [{}, { message: 'Enter a number.', reason: 'invalid_fields' }],
  ],
  authentik: [
    [{}, 'Wait.'],
    [{}, 'Enter a number.'],
  ],
  'twilio-messages': [
    [{ 'retry-after': '7' }, twilio(20429, 'Wait.', 429)],
    [{}, twilio(21211, 'Enter a number.', 400)],
  ],
};

test.each(SYSTEMS)('a refusal is in the form of %s, with its wait or its sentence', (name) => {
  const forms = [refusal, invalid].map((one) => {
    const { status, body, headers = {} } = SYSTEM[name].refused(one);
    expect(status).toBe(name === 'supabase' ? 200 : one.status);
    return [headers, name === 'authentik' ? body : JSON.parse(body)];
  });
  expect(forms).toEqual(FORMS[name] ?? [refusal, invalid].map(({ body }) => [{}, body]));
});

test.each([
  ['recipient_opted_out', 21610],
  ['destination_blocked', 21408],
  ['code_missing', 21602],
  ['insufficient_credits', 20403],
  ['spend_limit_reached', 20403],
  ['recipient_rate_limited', 20429],
  ['account_suspended', 30001],
])('the refusal %s has the Twilio code %i', (reason, code) => {
  const { body } = SYSTEM['twilio-messages'].refused({ ...refusal, reason });
  expect(JSON.parse(body)).toMatchObject({ code });
});

test.each([
  [1, 'in 1 second'],
  [99, 'in 99 seconds'],
  [100, 'in 2 minutes'],
  [5_399, 'in 90 minutes'],
  [5_400, 'in 2 hours'],
])('a person who must wait %i seconds reads "%s"', (retry_after, text) => {
  const { sentence } = refusalOf(new Failure('recipient_rate_limited', { retry_after }));
  expect(sentence).toBe(`Too many codes for this recipient. Please try again ${text}.`);
});

test('Supabase repeats a request at once only if the service is unavailable', () => {
  const outage = { ...refusal, status: 503, reason: 'service_unavailable', retry_after: 1 };
  expect(SYSTEM.supabase.refused(outage)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
});

test.each([
  [59, undefined],
  [60, 60],
  [3_600, 3_600],
  [3_601, undefined],
])(
  'a code of Kratos that is valid for %i seconds expires after the default unless a code can last that long',
  (given, taken) => {
    const [one] = SYSTEM.kratos.read(
      inbound({ body: { recipient: 'a', code: '246810', expires_in: given } }),
    );
    expect(one?.expires_in).toBe(taken);
    const [whole] = SYSTEM.kratos.read(
      inbound({
        body: { recipient: 'a', template_data: { login_code: '246810', expires_in_minutes: given / 60 } },
      }),
    );
    expect(whole).toEqual({ recipient: 'a', code: '246810', ...(taken && { expires_in: taken }) });
  },
);
