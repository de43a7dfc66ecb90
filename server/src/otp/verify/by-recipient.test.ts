import { verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { type Sender, sender, wrongCode } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';

/** A code verified by its recipient instead of the id of its send. */
const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice'));
const bob = fixture(() => sender(service, 'Bob'));

const verify = (by: Sender, body: object) =>
  service.call(verifyOtp, { apiKey: by.key(), body: body as { code: string } });

test.each([
  ['+14155550101', ['(415) 555-0101', '+1 415 555 0101']],
  ['ann@example.com', ['ann@example.com', ' Ann@EXAMPLE.com ']],
])('the newest open verification of %s verifies by every spelling', async (recipient, spellings) => {
  for (const spelling of spellings) {
    await alice.sent(recipient);
    const newest = await alice.sent(recipient);
    await service.drain();
    const code = await alice.code(recipient);
    expect(await verify(bob, { recipient: spelling, code })).toMatchObject({ status: 404 });
    const wrong = await verify(alice, { recipient: spelling, code: wrongCode(code) });
    expect(wrong.body).toMatchObject({ reason: 'invalid_code', attempts_remaining: 4 });
    const right = await verify(alice, { recipient: spelling, code });
    expect(right).toMatchObject({ status: 200, body: { otp_id: newest } });
    expect(await verify(alice, { recipient: spelling, code })).toMatchObject({ status: 404 });
  }
});

test('a recipient whose newest code has expired verifies an older one that is open', async () => {
  const recipient = 'cat@example.com';
  const older = await alice.sent(recipient, { expires_in: 3600 });
  await alice.sent(recipient, { expires_in: 60 });
  await service.drain();
  const code = await alice.code(recipient);
  await service.clock.advance(61_000);
  expect((await verify(alice, { recipient, code })).body).toMatchObject({ otp_id: older });
  await alice.sent(recipient, { expires_in: 60 });
  await service.clock.advance(61_000);
  expect(await verify(alice, { recipient, code })).toMatchObject({
    status: 404,
    body: { reason: 'otp_not_found' },
  });
});

test('a code of the sender’s own is not found by its recipient', async () => {
  await service.app.db.run(
    `update api_keys set scopes = scopes || '{otp:own_code}'::text[] where account_id = $1`,
    [bob.account_id],
  );
  await bob.sent('dan@example.com', { code: '123456' });
  expect(await verify(bob, { recipient: 'dan@example.com', code: '123456' })).toMatchObject({ status: 404 });
});

test('a verify by recipient repeated with its Idempotency-Key gets its first response', async () => {
  const recipient = 'fay@example.com';
  const otp_id = await alice.sent(recipient);
  await service.drain();
  const body = { recipient, code: await alice.code(recipient) };
  const headers = { 'idempotency-key': 'verify-1' };
  const apiKey = alice.key();
  for (let n = 0; n < 2; n += 1)
    expect(await service.call(verifyOtp, { apiKey, headers, body })).toMatchObject({
      status: 200,
      body: { otp_id },
    });
});

test('forty wrong codes at once by recipient are compared five times', async () => {
  const recipient = 'eve@example.com';
  await alice.sent(recipient);
  await service.drain();
  const code = await alice.code(recipient);
  const wrong = await Promise.all(
    Array.from({ length: 40 }, () => verify(alice, { recipient, code: wrongCode(code) })),
  );
  expect(wrong.filter(({ body }) => body.reason === 'invalid_code')).toHaveLength(5);
  expect((await verify(alice, { recipient, code })).status).not.toBe(200);
});

test.each([
  ['neither', { code: '123456' }, { otp_id: ['This field is required.'] }],
  ['nothing at all', {}, { otp_id: ['This field is required.'], code: ['This field is required.'] }],
  ['both', { otp_id: 'x', recipient: 'x', code: '1' }, { recipient: ['Give either otp_id or recipient.'] }],
  ['a blank one', { recipient: ' ', code: '1' }, { recipient: ['This field is required.'] }],
  [
    'no recipient',
    { recipient: 'Bob', code: '1' },
    { recipient: ['Enter a valid phone number or email address.'] },
  ],
])('a verify with %s is a field error', async (_, body, fields) => {
  expect(await verify(alice, body)).toMatchObject({ status: 400, body: fields });
});
