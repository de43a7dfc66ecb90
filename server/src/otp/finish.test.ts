import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sender, sender } from '../../test/sender.ts';
import { type TestService, testService } from '../../test/service.ts';

let service: TestService;
let alice: Sender;
beforeAll(async () => {
  service = await testService();
  alice = await sender(service, 'Alice');
});
afterAll(() => service[Symbol.asyncDispose]());

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
