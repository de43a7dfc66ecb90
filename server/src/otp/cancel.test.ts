import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { cancelVerification } from '@sixdigit/contract/verifications.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../test/fixture.ts';
import { sender } from '../../test/sender.ts';
import { testService } from '../../test/service.ts';
import { signedIn } from '../../test/signed-in.ts';
import { minuteOf } from '../protection/counters.ts';
import { inDay } from '../protection/series.ts';
import { cancel as cancelAsSender } from './cancel.ts';

/** Cancels from the dashboard. The rules of a cancel are tested in ending.test.ts. */
const bearers = { alice: '', bob: '' };
let count = 0;
const fresh = () => `reader+${++count}@example.com`;

const service = fixture(testService);
const alice = fixture(() => sender(service, 'Alice'));
const bob = fixture(() => sender(service, 'Bob'));
beforeAll(async () => {
  bearers.alice = await signedIn(service, alice);
  bearers.bob = await signedIn(service, bob);
});

const cancel = (id: string, bearer = bearers.alice) =>
  service.call(cancelVerification, { bearer, params: { id } });
const cancelsRecorded = async () => {
  const { body } = await service.call(listAuditEntries, {
    bearer: bearers.alice,
    query: { group: 'verification', page_size: 100 },
  });
  return body.results.map(({ action, actor, subject }) => ({ action, actor, subject }));
};

test('canceling a queued verification in the dashboard refunds it, sends nothing and is in the audit log', async () => {
  const recipient = fresh();
  const before = await alice.balance();
  const id = await alice.sent(recipient);
  const { status, body } = await cancel(id.toUpperCase());
  expect(status).toBe(200);
  expect(body).toMatchObject({ id, status: 'expired', cost_credits: 0, recipient });
  expect(body.status_logs.at(-1)).toMatchObject({
    previous_status: 'pending',
    new_status: 'expired',
    ip_address: '127.0.0.1',
    notes: 'Canceled',
  });
  await service.drain();
  expect(await service.inbox(recipient)).toEqual([]);
  expect(await alice.balance()).toBe(before);
  expect(await cancelsRecorded()).toContainEqual({
    action: 'verification.cancel',
    actor: 'owner',
    subject: id,
  });
});

test('a second cancel in the dashboard is refused as in the API, and the verification is refunded once', async () => {
  const before = await alice.balance();
  const recorded = (await cancelsRecorded()).length;
  const id = await alice.sent(fresh());
  expect((await cancel(id)).status).toBe(200);
  expect(await cancel(id)).toMatchObject({ status: 400, body: { reason: 'otp_closed' } });
  expect(await alice.balance()).toBe(before);
  expect(await cancelsRecorded()).toHaveLength(recorded + 1);
});

test('a verified verification cannot be canceled in the dashboard', async () => {
  const recipient = fresh();
  const id = await alice.sent(recipient);
  await service.drain();
  expect((await alice.verify(id, await alice.code(recipient))).status).toBe(200);
  expect(await cancel(id)).toMatchObject({ status: 400, body: { reason: 'otp_already_verified' } });
});

test('a verification that its sender approves ends without a refund, and no rule learns from it', async () => {
  const carol = await sender(service, 'Carol');
  const otp_id = await carol.sent('+14155552688');
  await service.drain();
  const { app } = service;
  await cancelAsSender(app, { account_id: carol.account_id, otp_id, ip: null, is_approved: true });
  expect(await carol.state(otp_id)).toMatchObject({ status: 'expired', cost_credits: 1 });
  expect((await carol.history(otp_id)).at(-1)).toMatchObject({ notes: 'Approved by the sender' });
  const series = app.protection.guard.counters.find(carol.account_id, 'account', '');
  const now = minuteOf(app.clock.now().getTime());
  const counted = (['sent', 'over', 'verified'] as const).map((name) => inDay(series, name, now));
  expect(counted).toEqual([1, 0, 0]);
});
