import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { finishDeliveries } from './queries.ts';

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice'));

const finish = async (id: string, claim: string): Promise<number> => {
  const change = {
    account_id: alice.account_id,
    id,
    allowed: ['pending'],
    to: 'failed',
    failure: 'Refused',
    note: 'Refused',
    refund: true,
  };
  const { n } = await service.app.db.one<{ n: number }>('select finish_deliveries($1, $2) as n', [
    JSON.stringify([{ id, claim }]),
    JSON.stringify([change]),
  ]);
  return n;
};

test('a worker whose claim was taken neither ends the delivery nor moves the verification nor refunds it', async () => {
  const { db, random } = service.app;
  const otp_id = await alice.sent('reader@example.com');
  const balance = await alice.balance();
  const [lost, present] = [random.uuid(), random.uuid()];
  await db.run('update deliveries set worker_id = $2, claim = $3, claimed_at = clock_now() where id = $1', [
    otp_id,
    random.uuid(),
    present,
  ]);
  expect(await finish(otp_id, lost)).toBe(0);
  expect(await db.one('select claim from deliveries where id = $1', [otp_id])).toEqual({ claim: present });
  expect(await alice.state(otp_id)).toMatchObject({ status: 'pending', cost_credits: 1 });
  expect(await alice.balance()).toBe(balance);

  expect(await finish(otp_id, present)).toBe(1);
  expect(await db.maybe('select 1 from deliveries where id = $1', [otp_id])).toBeUndefined();
  expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', cost_credits: 0 });
  expect(await alice.balance()).toBe(balance + 1);
});

test('a batch of acceptances changes each message by itself, and none whose claim was taken', async () => {
  const { db, random } = service.app;
  const [ours, taken] = [random.uuid(), random.uuid()];
  const ids = await Promise.all(['a', 'b', 'c'].map((name) => alice.sent(`${name}@example.com`)));
  await db.run(
    'update deliveries set worker_id = $2, claim = $3, claimed_at = clock_now() where id = any ($1)',
    [ids, random.uuid(), ours],
  );
  await db.run('update deliveries set claim = $2 where id = $1', [ids[1], taken]);

  await finishDeliveries(
    db,
    ids.map((id) => ({ id, claim: ours })),
    ids.map((id, n) => ({
      account_id: alice.account_id,
      id,
      allowed: ['pending'],
      to: 'sent',
      sent: true,
      event: 'sent',
      carrier: 'smtp',
      provider_message_id: n === 2 ? null : `message ${n}`,
      usual: true,
    })),
  );
  expect(
    await db.rows(
      `select status, carrier, provider_message_id, sent_at is not null as is_sent from verifications
       where id = any ($1) order by array_position($1, id)`,
      [ids],
    ),
  ).toEqual([
    { status: 'sent', carrier: 'smtp', provider_message_id: 'message 0', is_sent: true },
    { status: 'pending', carrier: null, provider_message_id: null, is_sent: false },
    { status: 'sent', carrier: 'smtp', provider_message_id: null, is_sent: true },
  ]);
  expect(await db.rows('select id from deliveries where id = any ($1)', [ids])).toEqual([{ id: ids[1] }]);
});
