import {
  getMe,
  getProfile,
  getTwoFactor,
  updateProfile,
  updateTwoFactor,
} from '@sixdigit/contract/accounts/accounts.ts';
import { getBranding, previewBranding, updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { person } from '../../test/person.ts';
import { testService } from '../../test/service.ts';

const service = fixture(() => testService({ env: { SUPPORT_EMAIL: 'help@sixdigit.test' } }));

const subjectsTo = async (recipient: string) => {
  await service.drain();
  return (await service.inbox(recipient)).map(({ subject }) => subject);
};

test('the own account returns the fields of the screens', async () => {
  const alice = await person(service, 'Alice');
  const { status, body } = await service.call(getMe, { bearer: alice.access });
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    username: expect.stringMatching(/^alice/),
    email: alice.email,
    first_name: '',
    last_name: '',
    phone_number: alice.phone,
    credits: 25,
    debt: 0,
    low_balance_threshold: null,
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
])('a call of the profile requires a sign-in: $name', async (route) => {
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

test('the profile stores a time zone, returns to the browser with null, and refuses what is no zone', async () => {
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
