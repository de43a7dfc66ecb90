import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { anotherProcess } from './another-process.ts';
import { fixture } from './fixture.ts';
import { person } from './person.ts';
import { testService } from './service.ts';

const service = fixture(testService);

test('a process that stops writes what it has counted: sends, failed sign-ins, and the use of keys', async () => {
  const alice = await service.customer('Alice');
  const { email } = await person(service, 'Bob');
  await service.app.activity.flush();
  await service.app.protection.exchange();
  const { db } = service.app;
  const written = () =>
    db.one(
      `select (select last_used_at is not null from api_keys where account_id = $1) as used,
         (select count(*)::integer from audit_entries where action = 'sign_in.fail') as failures,
         (select coalesce(sum(entries), 0)::integer from activity_minutes where kind = 'send') as sends,
         (select count(*)::integer from protection_deltas where deltas::text like '%' || $1 || '%') as deltas`,
      [alice.account_id],
    );
  const before = { used: false, failures: 0, sends: 0, deltas: 0 };
  expect(await written()).toEqual(before);
  const other = await anotherProcess(service);
  const sent = await other.call(sendOtp, {
    apiKey: alice.api_key,
    body: { channel: 'sms', recipient: '+14155550101' },
  });
  const refused = await other.call(signIn, { body: { email, password: 'another password' } });
  expect([sent.status, refused.status]).toEqual([201, 400]);
  await other[Symbol.asyncDispose]();
  expect(await written()).toEqual({ used: true, failures: 1, sends: 1, deltas: 1 });
});
