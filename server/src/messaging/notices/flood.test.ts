import { changeRole } from '@sixdigit/contract/accounts/members.ts';
import { updateSpend } from '@sixdigit/contract/spend.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { type Member, memberOf, signedInTo } from '../../../test/members.ts';
import { type Customer, testService } from '../../../test/service.ts';
import { type NoticeContents, notifyAccount } from './notices.ts';

/** Members can cause notices again and again. No account's members are sent more than 50 of a kind within 24 hours. */

const service = fixture(testService);

const DAY = 86_400_000;
const LAST = 'This is the last of 50 emails of this kind within 24 hours.';

const mailsTo = async (email: string) => {
  await service.drain();
  return (await service.inbox(email)).map(({ text }) => text);
};
const tell = ({ account_id }: Pick<Customer, 'account_id'>, contents: NoticeContents) =>
  service.app.db.transaction((tx) => notifyAccount(tx, service.app, account_id, contents));

test('a member whose role keeps changing gets 50 emails, and the last one announces the limit', async () => {
  const alice = await service.customer('Alice');
  const owner = await signedInTo(service, alice, alice);
  const [dana, erin] = [
    await memberOf(service, alice, 'Dana', 'viewer'),
    await memberOf(service, alice, 'Erin', 'viewer'),
  ];
  const change = async ({ person_id }: Member, role: 'support' | 'viewer') =>
    (await owner.call(changeRole, { params: { person_id }, body: { role } })).status;
  for (let n = 0; n < 55; n += 1) {
    expect(await change(dana, n % 2 === 0 ? 'support' : 'viewer')).toBe(200);
    // A lower role deletes what waits for the member.
    await service.drain();
  }
  const mails = await mailsTo(dana.email);
  expect(mails).toHaveLength(50);
  expect(mails.filter((text) => text.includes(LAST))).toHaveLength(1);
  expect(await change(erin, 'support')).toBe(200);
  expect(await mailsTo(erin.email)).toHaveLength(1);
});

test('an admin who changes a spend limit again and again causes 50 emails to each owner and admin', async () => {
  const alice = await service.customer('Anna');
  const owner = await signedInTo(service, alice, alice);
  const admin = await memberOf(service, alice, 'Adam', 'admin');
  await service.app.db.run(
    `update balances set spent_today = 100, spent_this_month = 100, spend_day = (clock_now() at time zone 'UTC')::date
     where account_id = $1`,
    [alice.account_id],
  );
  const reached = {
    span: 'day',
    percent: 100,
    creditLimit: 100,
    spent: 100,
    limitsUrl: 'https://x.test',
  } as const;
  for (let n = 0; n < 48; n += 1) await tell(alice, { kind: 'spendLimit', keyName: null, ...reached });
  for (let n = 0; n < 5; n += 1) {
    const body = { daily_credit_limit: 100 + (n % 2), monthly_credit_limit: null };
    expect((await owner.call(updateSpend, { body })).status).toBe(200);
    await service.drain();
  }
  for (const { email } of [owner, admin]) {
    const mails = await mailsTo(email);
    expect(mails).toHaveLength(50);
    expect(mails.filter((text) => text.includes(LAST))).toEqual([mails[0]]);
  }
});

test('the limit holds for one kind, one account and 24 hours', async () => {
  const [alice, bob] = [await service.customer('Alma'), await service.customer('Bob')];
  for (let n = 0; n < 60; n += 1) await tell(alice, { kind: 'passwordChanged' });
  expect(await mailsTo(alice.email)).toHaveLength(50);
  await tell(alice, { kind: 'accountResumed' });
  await tell(bob, { kind: 'passwordChanged' });
  expect(await mailsTo(alice.email)).toHaveLength(51);
  const [first, ...more] = await mailsTo(bob.email);
  expect(more).toEqual([]);
  expect(first).not.toContain(LAST);
  await service.clock.advance(DAY);
  await tell(alice, { kind: 'passwordChanged' });
  // The sandbox has deleted the earlier ones.
  expect(await mailsTo(alice.email)).toHaveLength(1);
});

test('what was counted is deleted after a day', async () => {
  const alice = await service.customer('Agnes');
  await tell(alice, { kind: 'passwordChanged' });
  const rows = () => service.app.db.rows('select from notice_log where account_id = $1', [alice.account_id]);
  await service.drain({ keepHouse: true });
  expect(await rows()).toHaveLength(1);
  await service.clock.advance(DAY);
  await service.drain({ keepHouse: true });
  expect(await rows()).toEqual([]);
});
