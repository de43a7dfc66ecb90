import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { fixture } from '../../test/fixture.ts';
import { sender, wrongCode } from '../../test/sender.ts';

/** Verifications that end without the right code (canceled, expired, never dispatched), and the deletion of their codes. */
let count = 0;
const fresh = () => `reader+${++count}@example.com`;
const MINUTE = 60_000;

const service = fixture(() => serviceWithCarriers(['smtp', 'http']));
const alice = fixture(() => sender(service, 'Alice', { credits: 1000 }));

async function sent(more?: Record<string, unknown>) {
  const recipient = fresh();
  const before = await alice.balance();
  const otp_id = await alice.sent(recipient, more);
  await service.drain();
  const { code } = await service.smtp.waitForMailTo(recipient);
  return { otp_id, recipient, code, before };
}
async function queued(more?: Record<string, unknown>) {
  const recipient = fresh();
  const before = await alice.balance();
  return { otp_id: await alice.sent(recipient, more), recipient, before };
}
/** The stored forms of a recipient's code. */
const kept = (recipient: string) =>
  service.app.db.one<{ live: boolean; sealed: boolean; verify: number; queue: number }>(
    `select r.code_hmac is not null as live, r.code_sealed is not null as sealed,
       (select count(*) from verifications v where v.recipient = r.recipient and v.code_hmac is not null) as verify,
       (select count(*) from deliveries d join verifications v on v.id = d.id where v.recipient = r.recipient) as queue
     from recipients r where r.account_id = $1 and r.recipient = $2`,
    [alice.account_id, recipient],
  );
const nothing = { live: false, sealed: false, verify: 0, queue: 0 };

test('a cancel before dispatch refunds the credit, and nothing is sent', async () => {
  const { otp_id, recipient, before } = await queued();
  const answer = await alice.cancel(otp_id);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ otp_id, status: 'expired', cost_credits: 0, recipient });
  await service.drain();
  expect(service.smtp.mailsTo(recipient)).toEqual([]);
  expect(await alice.balance()).toBe(before);
  expect(await kept(recipient)).toEqual(nothing);
  expect((await alice.history(otp_id)).at(-1)).toEqual({
    from: 'pending',
    to: 'expired',
    notes: 'Canceled',
  });
});

test('a cancel after dispatch refunds nothing, and the code no longer verifies', async () => {
  const { otp_id, recipient, code, before } = await sent();
  expect((await alice.cancel(otp_id)).body).toMatchObject({ status: 'expired', cost_credits: 1 });
  expect(await alice.balance()).toBe(before - 1);
  expect((await alice.verify(otp_id, code)).body.reason).toBe('otp_closed');
  expect(await kept(recipient)).toEqual(nothing);
});

test('a cancel of one of two verifications leaves the code of the other valid', async () => {
  const { otp_id, recipient, code } = await sent();
  const second = await alice.sent(recipient);
  await service.drain();
  await alice.cancel(otp_id);
  expect(await kept(recipient)).toMatchObject({ live: true, sealed: true, verify: 1 });
  expect((await alice.verify(second, code)).status).toBe(200);
  expect(await kept(recipient)).toEqual(nothing);
});

test('parallel cancels refund a verification once', async () => {
  const { otp_id, before } = await queued();
  const answers = await Promise.all(Array.from({ length: 20 }, () => alice.cancel(otp_id)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.reason === 'otp_closed')).toHaveLength(19);
  expect(await alice.balance()).toBe(before);
});

test('a cancel in parallel with a dispatch refunds only if the dispatch did not happen', async () => {
  for (let round = 0; round < 10; round++) {
    const { otp_id, recipient, before } = await queued();
    await Promise.all([alice.cancel(otp_id), service.drain()]);
    await service.drain();
    const { status, cost_credits } = await alice.state(otp_id);
    expect(status).toBe('expired');
    expect(service.smtp.mailsTo(recipient)).toHaveLength(cost_credits);
    expect(await alice.balance()).toBe(before - cost_credits);
  }
});

test.each(['first', 'last'] as const)(
  'a cancel while the %s carrier has the message refunds the credit once if all refuse',
  async (which) => {
    const { otp_id, recipient, before } = await queued();
    const { carriers } = service.app;
    const [smtp, http] = carriers.forChannel('email');
    if (!smtp || !http) throw new Error('two carriers');
    const carrier = which === 'first' ? smtp : http;
    const { dispatch } = carrier;
    carrier.dispatch = async (...args) => {
      expect((await alice.cancel(otp_id)).body.cost_credits).toBe(1);
      return dispatch(...args);
    };
    service.smtp.everyone = 'reject';
    service.http.everyone = 'refuse';
    await service.drain();
    carrier.dispatch = dispatch;
    service.smtp.everyone = service.http.everyone = undefined;
    expect(await alice.state(otp_id)).toMatchObject({ status: 'expired', cost_credits: 0 });
    expect(await alice.balance()).toBe(before);
    expect((await alice.history(otp_id)).slice(1).map(({ notes }) => notes)).toEqual([
      'Canceled',
      'Credit returned: never dispatched to a carrier',
    ]);
    expect(await kept(recipient)).toEqual(nothing);
  },
);

test.each([
  ['verified', 400, 'otp_already_verified'],
  ['canceled', 400, 'otp_closed'],
  ['expired', 400, 'otp_expired'],
  ['tried too often', 400, 'max_attempts_reached'],
  ['of another account', 404, 'otp_not_found'],
])('cancelling a verification that is %s is refused', async (what, status, reason) => {
  const { otp_id, code } = await sent({ expires_in: 60 });
  let by = alice;
  if (what === 'verified') await alice.verify(otp_id, code);
  if (what === 'canceled') await alice.cancel(otp_id);
  if (what === 'expired') await service.clock.advance(MINUTE);
  if (what === 'tried too often') for (let n = 0; n < 5; n++) await alice.verify(otp_id, wrongCode(code));
  if (what === 'of another account') by = await sender(service, 'Bob');
  const answer = await by.cancel(otp_id);
  expect(answer.status).toBe(status);
  expect(answer.body.reason).toBe(reason);
});

test.each(['x', '01941f29-7c00-7aaa-8bbb-0123456789ab', '%00'])(
  'a cancel of an unknown verification is not found: %s',
  async (id) => {
    expect((await alice.cancel(id)).body).toEqual({ error: 'OTP not found', reason: 'otp_not_found' });
  },
);

test('a sent verification expires at most five seconds late', async () => {
  const { otp_id, recipient, before } = await sent({ expires_in: 60 });
  await service.clock.advance(MINUTE);
  expect((await alice.state(otp_id)).status).toBe('expired');
  await service.drain();
  expect(await alice.history(otp_id)).toContainEqual({ from: 'sent', to: 'expired', notes: null });
  expect(await alice.balance()).toBe(before - 1);
  expect(await kept(recipient)).toEqual(nothing);
});

test('a verification that no worker dispatches in time fails and is refunded', async () => {
  const { otp_id, recipient, before } = await queued({ expires_in: 60 });
  await service.clock.advance(MINUTE);
  await service.drain();
  expect(service.smtp.mailsTo(recipient)).toEqual([]);
  expect(await alice.state(otp_id)).toMatchObject({
    status: 'failed',
    failure: 'Not dispatched to a carrier before it expired',
    cost_credits: 0,
  });
  expect(await alice.balance()).toBe(before);
  expect(await kept(recipient)).toEqual(nothing);
});

test('an undispatched verification fails at its expiry even if no delivery worker runs', async () => {
  const { otp_id, before } = await queued({ expires_in: 60 });
  await service.clock.advance(MINUTE);
  await service.app.db.run('select end_expired(100)');
  expect((await alice.state(otp_id)).status).toBe('failed');
  await service.drain();
  expect(await alice.balance()).toBe(before);
});

test('expiry skips messages that a worker has in flight', async () => {
  const { otp_id } = await queued({ expires_in: 60 });
  const { db, random } = service.app;
  await db.run('update deliveries set worker_id = $2, claim = $2 where id = $1', [otp_id, random.uuid()]);
  await service.clock.advance(MINUTE);
  await db.run('select end_expired(100)');
  expect((await alice.state(otp_id)).status).toBe('pending');
  await db.run('update deliveries set worker_id = null where id = $1', [otp_id]);
  await service.drain();
  expect((await alice.state(otp_id)).status).toBe('failed');
});

test('many verifications expire in several batches, on two processes concurrently', async () => {
  const ids = await Promise.all(Array.from({ length: 40 }, () => alice.sent(fresh(), { expires_in: 60 })));
  const before = await alice.balance();
  await service.clock.advance(MINUTE);
  for (let round = 0; round < 8; round++)
    await Promise.all([1, 2].map(() => service.app.db.run('select end_expired(10)')));
  expect(await alice.balance()).toBe(before + 40);
  for (const id of ids) expect((await alice.state(id)).status).toBe('failed');
});

test('a code’s encrypted form is deleted when it can no longer be shared, its hash when it can no longer verify', async () => {
  const { otp_id, recipient, code } = await sent({ expires_in: 3600 });
  expect(await kept(recipient)).toEqual({ live: true, sealed: true, verify: 1, queue: 0 });
  await service.clock.advance(10 * MINUTE);
  await service.drain();
  expect(await kept(recipient)).toEqual({ live: false, sealed: false, verify: 1, queue: 0 });
  expect((await alice.verify(otp_id, code)).status).toBe(200);
  expect(await kept(recipient)).toEqual(nothing);
});

test('the end of a code at one account leaves the code of another to the same recipient', async () => {
  const { recipient } = await sent({ expires_in: 3600 });
  await service.clock.advance(9 * MINUTE);
  const bob = await sender(service, 'Bob');
  await bob.sent(recipient);
  await service.clock.advance(MINUTE);
  await service.drain();
  const sealed = 'select account_id from recipients where recipient = $1 and code_sealed is not null';
  expect(await service.app.db.rows(sealed, [recipient])).toEqual([{ account_id: bob.account_id }]);
});

test('both stored forms of a code are deleted after the right code', async () => {
  const { otp_id, recipient, code } = await sent();
  await alice.verify(otp_id, code);
  expect(await kept(recipient)).toEqual(nothing);
});

test('both stored forms of a code are deleted after the last wrong code', async () => {
  const { otp_id, recipient, code } = await sent();
  for (let n = 0; n < 5; n++) await alice.verify(otp_id, wrongCode(code));
  expect(await kept(recipient)).toEqual(nothing);
});

test('no column ever holds the digits of a code', async () => {
  const { recipient, code } = await sent();
  const { db } = service.app;
  for (const table of [
    'verifications',
    'recipients',
    'deliveries',
    'status_history',
    'request_logs',
    'ledger',
  ]) {
    const rows = await db.rows<{ t: string }>(`select to_jsonb(x)::text as t from ${table} x`);
    const text = rows.map(({ t }) => t).join('\n');
    expect(text.includes(`"${code}"`), table).toBe(false);
  }
  expect(await kept(recipient)).toMatchObject({ verify: 1 });
});

test('a code used before the carrier confirms the dispatch stays verified', async () => {
  const recipient = fresh();
  const otp_id = await alice.sent(recipient);
  const [smtp] = service.app.carriers.forChannel('email');
  if (!smtp) throw new Error('a carrier');
  const { dispatch } = smtp;
  smtp.dispatch = async (message, signal) => {
    const outcome = await dispatch(message, signal);
    expect((await alice.verify(otp_id, message.code)).status).toBe(200);
    return outcome;
  };
  await service.drain();
  smtp.dispatch = dispatch;
  expect(await alice.state(otp_id)).toMatchObject({ status: 'verified', cost_credits: 1 });
  expect((await alice.history(otp_id)).map(({ to }) => to)).toEqual(['pending', 'verified']);
  expect((await kept(recipient)).queue).toBe(0);
});

test.each([
  [60, 1],
  [3_600, 10],
])(
  'a code of %i seconds is stored in a form that can be sent again for %i minutes',
  async (seconds, minutes) => {
    const { recipient } = await sent({ expires_in: seconds });
    await service.clock.advance(minutes * MINUTE - 10_000);
    await service.drain();
    expect(await kept(recipient)).toMatchObject({ live: true, sealed: true });
    await service.clock.advance(10_000);
    await service.drain();
    expect(await kept(recipient)).toMatchObject({ live: false, sealed: false });
  },
);
