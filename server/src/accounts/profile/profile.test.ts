import {
  getMe,
  getProfile,
  getTwoFactor,
  updateProfile,
  updateTwoFactor,
} from '@sixdigit/contract/accounts/accounts.ts';
import { getBranding, previewBranding, updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { holdLock, untilBlocked } from '../../../test/held-lock.ts';
import { type Person, person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

const service = fixture(() => testService({ env: { SUPPORT_EMAIL: 'help@sixdigit.test' } }));

const subjectsTo = async (recipient: string) => {
  await service.drain();
  return (await service.inbox(recipient)).map(({ subject }) => subject);
};

test('the current account has the fields that the screens show', async () => {
  const alice = await person(service, 'Alice');
  const { status, body } = await service.call(getMe, { bearer: alice.access });
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    account_id: body.id,
    role: 'owner',
    username: expect.stringMatching(/^alice/),
    email: alice.email,
    first_name: '',
    last_name: '',
    phone_number: alice.phone,
    credits: 25,
    debt: 0,
    low_balance_threshold: 5,
    welcome_credits_due: 0,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    time_zone: null,
    two_factor_enabled: false,
    is_suspended: false,
    announcements: [],
    // the first account of a sandbox
    operator_role: 'admin',
  });
});

test.each([
  getMe,
  getProfile,
  getTwoFactor,
  getBranding,
  updateProfile,
  updateTwoFactor,
  updateBranding,
  previewBranding,
])('the profile call $name requires a sign-in', async (route) => {
  expect((await service.call(route, route.method === 'GET' ? {} : { body: {} })).status).toBe(401);
});

test('the profile leaves omitted fields unchanged, and changes names without a password', async () => {
  const alice = await person(service, 'Names');
  const { status, body } = await service.call(updateProfile, {
    bearer: alice.access,
    body: { first_name: ' Alice ', last_name: 'Liddell', phone_number: alice.phone.slice(2) },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ first_name: 'Alice', last_name: 'Liddell', phone_number: alice.phone });
  const { body: again } = await service.call(updateProfile, {
    bearer: alice.access,
    body: { last_name: 'Hargreaves' },
  });
  expect(again).toMatchObject({ first_name: 'Alice', last_name: 'Hargreaves', email: alice.email });
  expect((await service.call(getProfile, { bearer: alice.access })).body).toEqual(again);
  expect(Object.keys(again).sort()).toEqual([
    'created_at',
    'email',
    'first_name',
    'last_name',
    'phone_number',
    'time_zone',
    'username',
  ]);
});

test('two changes of a profile at the same moment do not undo each other', async () => {
  const bob = await person(service, 'Twice');
  const phone_number = '+14155550188';
  await using other = await holdLock(
    service,
    `update people set phone_number = $2, last_name = 'Burnell' where email = $1`,
    [bob.email, phone_number],
  );
  const changed = service.call(updateProfile, { bearer: bob.access, body: { first_name: 'Bobbie' } });
  await untilBlocked(service, 'people');
  await other.commit();
  expect((await changed).body).toMatchObject({ first_name: 'Bobbie', last_name: 'Burnell', phone_number });
});

test('the profile stores a time zone, resets it with null, and refuses an invalid time zone', async () => {
  const alice = await person(service, 'Zones');
  const change = (time_zone: string | null) =>
    service.call(updateProfile, { bearer: alice.access, body: { time_zone } });
  expect((await change('Asia/Kolkata')).body).toMatchObject({ time_zone: 'Asia/Kolkata' });
  expect((await service.call(getMe, { bearer: alice.access })).body).toMatchObject({
    time_zone: 'Asia/Kolkata',
  });
  for (const wrong of ['+05:30', 'Mars/Olympus', "UTC'; drop table accounts", '']) {
    const { status, body } = await change(wrong);
    expect(status).toBe(400);
    expect(body).toMatchObject({ time_zone: [expect.stringContaining('IANA')] });
  }
  expect((await change(null)).body).toMatchObject({ time_zone: null });
});

test('the profile requires the password to change the phone number, and sends a notice', async () => {
  const alice = await person(service, 'Phone');
  const change = (body: object) =>
    service.call(updateProfile, {
      bearer: alice.access,
      body: { phone_number: '(415) 555-9999', ...body },
    });
  expect((await change({})).body).toMatchObject({ current_password: ['This field is required.'] });
  expect((await change({ current_password: 'wrong' })).body).toMatchObject({
    current_password: ['The password is not correct.'],
  });
  expect((await service.call(getProfile, { bearer: alice.access })).body.phone_number).toBe(alice.phone);
  expect(await change({ current_password: alice.password })).toMatchObject({
    status: 200,
    body: { phone_number: '+14155559999' },
  });
  expect(await subjectsTo(alice.email)).toContain('Your phone number was changed');
});

test.each([
  [{ first_name: '  ' }, { first_name: ['First name cannot be empty'] }],
  [{ last_name: '' }, { last_name: ['Last name cannot be empty'] }],
  [{ phone_number: '12345' }, { phone_number: ['Please enter a valid phone number'] }],
  [{ phone_number: '99999999999999999' }, { phone_number: ['Please enter a valid phone number'] }],
])('the profile refuses %j', async (body, fields) => {
  const alice = await person(service, 'Strict');
  expect(await service.call(updateProfile, { bearer: alice.access, body })).toMatchObject({
    status: 400,
    body: fields,
  });
});

test('the profile sends no notice if nothing changes', async () => {
  const alice = await person(service, 'Quiet');
  await service.call(updateProfile, { bearer: alice.access, body: { first_name: 'Alice' } });
  expect(await subjectsTo(alice.email)).toHaveLength(1);
});

const defaults = {
  sender_name: 'Sixdigit',
  reply_to_email: 'no-reply@sixdigit.test',
  default_subject: 'Your Verification Code',
  default_message: 'Your verification code is: {code}',
  default_language: 'en',
  language_by_country: false,
  default_otp_length: 6,
  default_expiry_seconds: 300,
  auto_purchase_enabled: false,
  auto_purchase_threshold: 50,
  auto_purchase_amount: 500,
  low_balance_threshold: null,
};
const own = {
  sender_name: 'Acme',
  reply_to_email: 'hello@acme.test',
  default_subject: 'Acme: your code',
  default_message: 'Acme says {code}',
  default_language: 'de',
  language_by_country: true,
  default_otp_length: 8,
  default_expiry_seconds: 600,
  auto_purchase_enabled: false,
  auto_purchase_threshold: 10,
  auto_purchase_amount: 1000,
  low_balance_threshold: 5,
};
const stored = (alice: Person) =>
  service.app.db.one(
    'select sender_name, reply_to_email, default_subject, default_message from accounts where email = $1',
    [alice.email],
  );
const nothing = { sender_name: '', reply_to_email: '', default_subject: '', default_message: '' };

test('the OTP configuration shows the defaults, and saving them unchanged stores no values', async () => {
  const alice = await person(service, 'Defaults');
  const { status, body } = await service.call(getBranding, { bearer: alice.access });
  expect({ status, body }).toEqual({ status: 200, body: defaults });
  expect((await service.call(updateBranding, { bearer: alice.access, body })).body).toEqual(defaults);
  expect(await stored(alice)).toEqual(nothing);
});

test('the OTP configuration can be changed, and an empty field restores the default', async () => {
  const alice = await person(service, 'Own');
  const put = (body: object) => service.call(updateBranding, { bearer: alice.access, body });
  expect(await put(own)).toMatchObject({ status: 200, body: own });
  expect((await service.call(getBranding, { bearer: alice.access })).body).toEqual(own);
  expect((await put({ ...own, ...nothing })).body).toEqual({
    ...own,
    sender_name: 'Sixdigit',
    reply_to_email: 'no-reply@sixdigit.test',
    default_subject: 'Ihr Bestätigungscode',
    default_message: 'Ihr Bestätigungscode lautet: {code}',
  });
  expect(await stored(alice)).toEqual(nothing);
});

test.each([
  [{ sender_name: 'A' }, { sender_name: ['Sender name must be at least 2 characters'] }],
  ...[
    'Acme\r\nBcc: all',
    'Acme\u202egro.knab',
    'Acme\u2028Bank',
    'Ac\u200bme',
    'Ac\u00adme',
    'Acme\ud800',
  ].map((sender_name): [object, object] => [
    { sender_name },
    { sender_name: ['Sender name must be a single line without invisible characters'] },
  ]),
  [{ sender_name: 'security@bank.example' }, { sender_name: ['Sender name must not contain @'] }],
  // A full-width sign looks the same.
  [{ sender_name: 'security＠bank.example' }, { sender_name: ['Sender name must not contain @'] }],
  [
    { default_subject: 'Your\u202eedoc' },
    { default_subject: ['Subject must be a single line without invisible characters'] },
  ],
  [{ reply_to_email: 'nobody' }, { reply_to_email: ['Please enter a valid email address'] }],
  [{ default_subject: 'ab' }, { default_subject: ['Subject must be at least 3 characters'] }],
  [{ default_message: 'no code' }, { default_message: ['Message template must include {code} placeholder'] }],
  [{ default_otp_length: 3 }, { default_otp_length: ['OTP length must be at least 4 digits'] }],
  [{ default_otp_length: 9 }, { default_otp_length: ['OTP length must be at most 8 digits'] }],
  [{ default_expiry_seconds: 59 }, { default_expiry_seconds: ['Expiry time must be at least 60 seconds'] }],
  [
    { default_expiry_seconds: 3601 },
    { default_expiry_seconds: ['Expiry time must be at most 3600 seconds (1 hour)'] },
  ],
  [
    { auto_purchase_threshold: 0 },
    { auto_purchase_threshold: ['Auto-purchase threshold must be at least 1 credit'] },
  ],
  [
    { auto_purchase_threshold: 10_001 },
    { auto_purchase_threshold: ['Auto-purchase threshold must be at most 10,000 credits'] },
  ],
  [
    { auto_purchase_amount: 99 },
    { auto_purchase_amount: ['Auto-purchase amount must be at least 100 credits'] },
  ],
  [
    { auto_purchase_amount: 100_001 },
    { auto_purchase_amount: ['Auto-purchase amount must be at most 100,000 credits'] },
  ],
])('the OTP configuration refuses %j', async (wrong, fields) => {
  const alice = await person(service, 'Refused');
  const body = { ...own, ...wrong };
  expect(await service.call(updateBranding, { bearer: alice.access, body })).toMatchObject({
    status: 400,
    body: fields,
  });
});

test('the OTP configuration refuses a default message that takes too many SMS segments with the longest code', async () => {
  const alice = await person(service, 'Long');
  const put = (default_message: string) =>
    service.call(updateBranding, {
      bearer: alice.access,
      body: { ...own, default_otp_length: 4, default_message },
    });
  expect((await put(`{code}${'a'.repeat(298)}`)).status).toBe(200);
  expect(await put(`{code}${'a'.repeat(299)}`)).toMatchObject({
    status: 400,
    body: {
      default_message: ['This message takes 3 SMS segments with its code; at most 2 are allowed.'],
    },
  });
});

test('the preview of the OTP configuration is identical to the sent mail', async () => {
  const alice = await person(service, 'Preview');
  const { status, body } = await service.call(previewBranding, {
    bearer: alice.access,
    body: { ...own, default_message: 'Acme <b>says</b> {code}' },
  });
  expect(status).toBe(200);
  expect(body.subject).toBe('Acme: your code');
  expect(body.text).toContain('Acme <b>says</b> 12345678');
  expect(body.text).toContain('10 Minuten');
  expect(body.html).toContain('12345678');
  expect(body.html).not.toContain('<b>says');
  const empty = await service.call(previewBranding, { bearer: alice.access, body: {} });
  expect(empty.body).toMatchObject({ subject: 'Your Verification Code' });
  expect(empty.body.text).toContain('Your verification code is: 123456');
  expect(empty.body.sms).toBe('Your verification code is: {code}');
  // The form still has the text in the language before.
  const german = { default_language: 'de', default_message: empty.body.sms } as const;
  const { body: translated } = await service.call(previewBranding, { bearer: alice.access, body: german });
  expect(translated.sms).toBe('Ihr Bestätigungscode lautet: {code}');
  expect(translated.text).toContain('Ihr Bestätigungscode lautet: 123456');
  expect(await stored(alice)).toEqual(nothing);
});
