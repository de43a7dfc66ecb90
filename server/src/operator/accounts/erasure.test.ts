import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { getOperatorAccount } from '@sixdigit/contract/operator/accounts.ts';
import { eraseAccount, eraseRecipient, listRecipientErasures } from '@sixdigit/contract/operator/erasures.ts';
import { createOperatorKey, listOperatorActions } from '@sixdigit/contract/operator/operator.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, testOperator } from '../../../test/operator.ts';
import { type Person, person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { runNextErasure } from './erasures.ts';

const DAY = 86_400_000;
const REASON = 'Asked for it in ticket 4711';

/** Olivia is an admin, Sam is in support, Alice is a customer. */
const service = fixture(testService);
const olivia = fixture(() => testOperator(service));
const sam = fixture(() => testOperator(service, { role: 'support', name: 'Sam' }));
const alice = fixture(() => service.customer('Alice'));

const idOf = async (someone: Person): Promise<string> =>
  (await service.call(getMe, { bearer: someone.access })).body.id;
const erase = (id: string, email: string, reason = REASON) =>
  olivia.call(eraseAccount, { params: { id }, body: { email, reason } });
const actions = async (action: string) =>
  (await olivia.call(listOperatorActions, { query: { action } })).body.results;

describe('an erased account', () => {
  test('an account erased by an operator ends immediately, and its owner gets the same mail as after a deletion', async () => {
    const ada = await person(service, 'Ada');
    const id = await idOf(ada);
    const { status, body } = await erase(id, ` ${ada.email.toUpperCase()} `);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, state: 'deleted', email: null, sessions: [] });
    expect((await service.call(getMe, { bearer: ada.access })).status).toBe(401);
    await service.drain();
    expect((await service.inbox(ada.email))[0]?.subject).toBe('Your account was deleted');
    expect((await erase(id, ada.email)).body).toMatchObject({ email: ['This account is already deleted.'] });
  });

  test('the audit log has the state of an erased account before and after, but not its address', async () => {
    const bea = await person(service, 'Bea');
    const id = await idOf(bea);
    await erase(id, bea.email, `${bea.email} asked for it`);
    const [entry] = await actions('account.erase');
    expect(entry).toMatchObject({
      account_id: id,
      operator: olivia.email,
      reason: '[erased] asked for it',
      before: { state: 'active', sessions: 1 },
      after: { state: 'deleted', sessions: 0 },
    });
    expect(JSON.stringify(await auditOf(service))).not.toContain(bea.email);
  });

  test('erasing an account requires its address and a reason, and is refused for an operator', async () => {
    const cleo = await person(service, 'Cleo');
    const id = await idOf(cleo);
    expect((await erase(id, 'another@example.com')).body).toEqual({
      error: 'This is not the email address of the account.',
      email: ['This is not the email address of the account.'],
    });
    expect((await erase(id, cleo.email, ' ')).body).toMatchObject({ reason: ['Please enter a reason'] });
    expect((await erase('no id', cleo.email)).status).toBe(404);
    expect((await erase(sam.account_id, sam.email)).body).toMatchObject({
      email: ['This account is an operator. Remove its role first.'],
    });
    expect((await olivia.call(getOperatorAccount, { params: { id } })).body.state).toBe('active');
  });

  test('two operators who erase an account concurrently erase it once', async () => {
    const dora = await person(service, 'Dora');
    const id = await idOf(dora);
    const statuses = (await Promise.all([erase(id, dora.email), erase(id, dora.email)])).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted()).toEqual([200, 400]);
    expect((await actions('account.erase')).filter(({ account_id }) => account_id === id)).toHaveLength(1);
  });

  test('an operator key needs the erasure scope to erase', async () => {
    const key = async (scope: 'accounts:write' | 'erasures:write') =>
      (
        await olivia.call(createOperatorKey, {
          body: { name: scope, scopes: [scope], expires_in_days: 1 },
        })
      ).body.key;
    const eva = await person(service, 'Eva');
    const input = { params: { id: await idOf(eva) }, body: { email: eva.email, reason: REASON } };
    const refused = await service.call(eraseAccount, { ...input, bearer: await key('accounts:write') });
    expect(refused.body).toMatchObject({ reason: 'operator_scope_required' });
    const done = await service.call(eraseAccount, { ...input, bearer: await key('erasures:write') });
    expect(done.status).toBe(200);
  });
});

describe('an erased recipient', () => {
  const send = (recipient: string, message?: string) =>
    service.call(sendOtp, {
      apiKey: alice.api_key,
      body: { channel: 'email', recipient, ...(message ? { message } : {}) },
    });
  const request = (recipient: string, reason = REASON) =>
    olivia.call(eraseRecipient, { body: { recipient, reason } });
  const listed = async () => (await sam.call(listRecipientErasures)).body.results;

  /** Every row of every table, as text. */
  async function everything(): Promise<string> {
    const { db } = service.app;
    const tables = await db.rows<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`,
    );
    const all: string[] = [];
    for (const { name } of tables)
      all.push(
        ...(await db.rows<{ t: string }>(`select to_jsonb(x)::text as t from "${name}" x`)).map(({ t }) => t),
      );
    return all.join('\n').toLowerCase();
  }

  test('an erased recipient is removed from every table, the audit log and the reason, where only a mask stays', async () => {
    await send('Pat.Doe@example.com', 'Pat, your code is {code}');
    await send('someone@example.com', 'Not pat.doe@example.com: {code}');
    await send('pat.doe@example.com');
    await service.drain();
    await service.app.requestLog.flush();
    const { status, body } = await request(' Pat.Doe@EXAMPLE.com', 'Pat.Doe@example.com wrote to us');
    expect(status).toBe(201);
    expect(body).toMatchObject({ recipient: 'p••@example.com', steps_done: 0, accounts: 0, ended_at: null });
    expect((await listed())[0]).toMatchObject({ id: body.id, requested_by: olivia.email });
    await service.drain();
    const [ended] = await listed();
    expect(ended).toMatchObject({
      id: body.id,
      steps_done: body.steps,
      erased: { verifications: 2 },
    });
    expect(ended?.ended_at).not.toBeNull();
    // A send without a message of its own gets none.
    expect(
      await service.app.db.rows(`select message from verifications where recipient = '[erased]' order by id`),
    ).toEqual([{ message: '[erased]' }, { message: null }]);
    expect(await everything()).not.toContain('pat.doe');
    expect((await actions('recipient.erase'))[0]).toMatchObject({
      subject: 'p••@example.com',
      reason: '[erased] wrote to us',
      before: { state: 'stored' },
      after: { state: 'erasing' },
    });
    expect((await actions('recipient.erased'))[0]).toMatchObject({
      subject: 'p••@example.com',
      operator: olivia.email,
      after: { state: 'erased', verifications: 2 },
    });
  });

  test('if a worker dies while erasing a recipient, another worker completes the erasure', async () => {
    await send('left.over@example.com');
    await service.drain();
    await request('left.over@example.com');
    const { db } = service.app;
    await db.run(
      `update recipient_erasures set lease = gen_random_uuid(), leased_until = clock_now() + interval '10 minutes'
       where ended_at is null`,
    );
    expect(await runNextErasure(service.app)).toBe(false);
    await service.clock.advance(10 * 60_000);
    while ((await Promise.all([1, 2, 3].map(() => runNextErasure(service.app)))).includes(true));
    expect((await listed())[0]).toMatchObject({ erased: { verifications: 1 } });
    expect((await listed())[0]?.ended_at).not.toBeNull();
    const ends = (await actions('recipient.erased')).filter(({ subject }) => subject === 'l••@example.com');
    expect(ends).toHaveLength(1);
  });

  test('erasing a recipient requires a phone number or an email address, and lists the accounts that stay', async () => {
    expect((await request('%')).body).toMatchObject({
      recipient: ['Please enter a phone number or an email address'],
    });
    expect((await request('+14155552671', '')).body).toMatchObject({ reason: ['Please enter a reason'] });
    expect((await request(alice.email)).body).toMatchObject({ accounts: 1 });
    await service.drain();
    expect(await service.app.db.one('select email from accounts where id = $1', [alice.account_id])).toEqual({
      email: alice.email,
    });
  });

  test('an erased recipient leaves the list of erasures after 400 days', async () => {
    expect((await listed()).length).toBeGreaterThan(0);
    await service.clock.advance(401 * DAY);
    await service.drain();
    expect(await listed()).toEqual([]);
  });
});
