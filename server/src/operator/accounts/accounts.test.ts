import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import { createConnection } from '@sixdigit/contract/connections.ts';
import {
  adjustCredits,
  endAccountSessions,
  getOperatorAccount,
  listAccountTransactions,
  listAccountVerifications,
  listOperatorAccounts,
  resumeAccount,
  revealVerification,
  suspendAccount,
} from '@sixdigit/contract/operator/accounts.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { listTransactions } from '@sixdigit/contract/payments.ts';
import { describe, expect, test } from 'vitest';
import { anotherProcess } from '../../../test/another-process.ts';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, testOperator } from '../../../test/operator.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { type Customer, type TestService, testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';

const RECIPIENT = '+14155552671';
const to = (recipient: string) => ({ channel: 'sms' as const, recipient });
const at = ({ account_id }: Customer) => ({ params: { id: account_id } });

const service = fixture(testService);
const other = fixture(() => anotherProcess(service));
const olivia = fixture(() => testOperator(service));
const sam = fixture(() => testOperator(service, { role: 'support', name: 'Sam' }));
const alice = fixture(() => service.customer('Alice'));

describe('a search over accounts', () => {
  const found = async (search: string) =>
    (await sam.call(listOperatorAccounts, { query: { search } })).body.results.map(({ id }) => id);

  test('an operator finds an account by address, key, verification or account id', async () => {
    const sent = await service.call(sendOtp, { apiKey: alice.api_key, body: to(RECIPIENT) });
    for (const search of [
      'ALICE@customers',
      alice.account_id,
      alice.api_key,
      alice.api_key.slice(0, 14),
      alice.api_key_id,
      sent.body.otp_id,
    ])
      expect(await found(search)).toContain(alice.account_id);
    await service.app.db.run('update api_keys set prefix = left(prefix, 12) where id = $1', [
      alice.api_key_id,
    ]);
    expect(await found(alice.api_key.slice(0, 12)), 'a key from before CELL').toContain(alice.account_id);
    expect(await found('no such account')).toEqual([]);
    expect(await found(service.app.random.uuid())).toEqual([]);
    expect(await found('%')).toEqual([]);
  });

  test('an operator finds an account by a phone number in any notation', async () => {
    const paula = await service.customer('Paula');
    await service.app.db.run(`update people set phone_number = '+14155550199' where id = $1`, [
      paula.account_id,
    ]);
    expect(await found('(415) 555-0199')).toEqual([paula.account_id]);
    const { body } = await sam.call(getOperatorAccount, { params: { id: paula.account_id } });
    expect(body.phone_number).toBe('+1415••••99');
  });

  test('the account search shows state, balance, usage and last activity, sorted and paged', async () => {
    const rich = await service.customer('Rich', { credits: 5_000 });
    const { body } = await sam.call(listOperatorAccounts, { query: { ordering: '-credits', page_size: 1 } });
    expect(body.results).toMatchObject([
      { id: rich.account_id, credits: 5_000, state: 'active', sends_30_days: 0 },
    ]);
    expect(body.count).toBeGreaterThan(3);
    const [listed] = (await sam.call(listOperatorAccounts, { query: { search: alice.email } })).body.results;
    expect(listed?.sends_30_days).toBeGreaterThan(0);
    const none = await sam.call(listOperatorAccounts, { query: { state: 'deleted' } });
    expect(none.body).toEqual({ results: [], count: 0 });
  });

  test('an account with a name has it in the search and on its page', async () => {
    const nora = await service.customer('Nora');
    await service.app.db.run(`update accounts set name = 'Harbor Tools' where id = $1`, [nora.account_id]);
    const { results } = (await sam.call(listOperatorAccounts, { query: { search: 'harbor t' } })).body;
    expect(results).toMatchObject([{ id: nora.account_id, name: 'Harbor Tools' }]);
    expect((await sam.call(getOperatorAccount, at(nora))).body.name).toBe('Harbor Tools');
    expect((await sam.call(getOperatorAccount, at(alice))).body.name).toBe('');
  });
});

describe('suspending an account', () => {
  test('a suspension refuses the next send and verify on every process and charges nothing until the account is resumed', async () => {
    const bob: Sender = await sender(service, 'Bob');
    const otp_id = await bob.sent('+14155552680');
    const before = await bob.balance();

    const suspended = await olivia.call(suspendAccount, { ...at(bob), body: { reason: 'Sends spam' } });
    expect(suspended.body).toMatchObject({ state: 'suspended', suspended_reason: 'Sends spam' });
    for (const process of [service, other]) {
      const sent = await process.call(sendOtp, { apiKey: bob.key(), body: to('+14155552681') });
      expect(sent.status).toBe(400);
      expect(sent.body).toEqual({ error: 'Account suspended', reason: 'account_suspended' });
      const verified = await process.call(verifyOtp, { apiKey: bob.key(), body: { otp_id, code: '000000' } });
      expect(verified.body).toMatchObject({ reason: 'account_suspended' });
    }
    expect(await bob.balance()).toBe(before);
    expect((await service.call(getMe, { bearer: await signedIn(service, bob) })).status).toBe(200);

    await olivia.call(resumeAccount, { ...at(bob), body: { reason: 'Resolved' } });
    expect((await other.call(sendOtp, { apiKey: bob.key(), body: to('+14155552682') })).status).toBe(201);
    await service.drain();
    expect((await service.inbox(bob.email)).map(({ subject }) => subject).sort()).toEqual([
      'Your account is active again',
      'Your account was suspended',
    ]);
    const audited = (await auditOf(service)).filter(({ action }) => /suspend|resume/.test(action));
    expect(audited).toEqual([
      {
        action: 'account.suspend',
        reason: 'Sends spam',
        before: { isSuspended: false, reason: '' },
        after: { isSuspended: true, reason: 'Sends spam' },
      },
      {
        action: 'account.resume',
        reason: 'Resolved',
        before: { isSuspended: true, reason: 'Sends spam' },
        after: { isSuspended: false, reason: '' },
      },
    ]);
  });

  test('once a suspension is confirmed, no process accepts a send of the account', async () => {
    const mallory = await sender(service, 'Mallory', { credits: 1_000 });
    let isSuspended = false;
    const late: number[] = [];
    const flood = async (process: Pick<TestService, 'call'>, from: number) => {
      for (let n = 0; n < 15; n += 1) {
        const after = isSuspended;
        const { status } = await process.call(sendOtp, {
          apiKey: mallory.key(),
          body: to(`+1415555${from + n}`),
        });
        if (after) late.push(status);
      }
    };
    const floods = Promise.all([flood(service, 3000), flood(other, 4000)]);
    await olivia.call(suspendAccount, { ...at(mallory), body: { reason: 'Abuse' } });
    isSuspended = true;
    await floods;
    late.push((await other.call(sendOtp, { apiKey: mallory.key(), body: to('+14155552690') })).status);
    expect(new Set(late)).toEqual(new Set([400]));
    const accepted = (await mallory.entries()).filter(([kind]) => kind === 'usage').length;
    expect(await mallory.balance()).toBe(1_000 - accepted);
  });

  test('a suspension needs a reason and an existing account, and an operator cannot suspend their own', async () => {
    expect((await olivia.call(suspendAccount, { ...at(alice), body: { reason: ' ' } })).body).toMatchObject({
      reason: ['Please enter a reason'],
    });
    expect((await olivia.call(suspendAccount, { ...at(olivia), body: { reason: 'Me' } })).status).toBe(400);
    for (const id of [service.app.random.uuid(), 'no id']) {
      const missing = { params: { id } };
      expect((await olivia.call(suspendAccount, { ...missing, body: { reason: 'Gone' } })).status).toBe(404);
      expect((await olivia.call(resumeAccount, { ...missing, body: { reason: 'Gone' } })).status).toBe(404);
      expect((await olivia.call(endAccountSessions, { ...missing, body: { reason: 'Gone' } })).status).toBe(
        404,
      );
      expect((await olivia.call(getOperatorAccount, missing)).status).toBe(404);
      expect((await olivia.call(listAccountVerifications, missing)).status).toBe(404);
      expect((await olivia.call(listAccountTransactions, missing)).status).toBe(404);
    }
  });
});

describe('adjusting credits', () => {
  test('a credit adjustment is in the ledger once, in Payment History and in a mail to the owner', async () => {
    const carol = await service.customer('Carol', { credits: 10 });
    const adjustment = { credits: 40, reason: 'Outage on Monday', id: service.app.random.uuid() };
    const answers = await Promise.all(
      [1, 2, 3].map(() => olivia.call(adjustCredits, { ...at(carol), body: adjustment })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.at(-1)?.body.credits).toBe(50);
    const { body } = await service.call(listTransactions, { bearer: await signedIn(service, carol) });
    expect(body.results[0]).toMatchObject({
      transaction_type: 'purchase',
      amount: 40,
      description: 'Adjustment: Outage on Monday',
      price_display: null,
      has_receipt: false,
    });
    expect(body.count).toBe(2);
    await service.drain();
    const [mail] = await service.inbox(carol.email);
    expect(mail?.subject).toBe('40 credits were added');
    expect(mail?.text).toContain('Outage on Monday');
    const seen = await sam.call(listAccountTransactions, at(carol));
    expect(seen.body).toEqual(body);
  });

  test('a credit adjustment removes at most the balance, and the audit log has the balance before and after', async () => {
    const dave = await service.customer('Dave', { credits: 30 });
    const tooMuch = await olivia.call(adjustCredits, {
      ...at(dave),
      body: { credits: -31, reason: 'Mistake' },
    });
    expect(tooMuch).toMatchObject({ status: 400, body: { credits: ['The account has only 30 credits.'] } });
    const removed = await olivia.call(adjustCredits, {
      ...at(dave),
      body: { credits: -20, reason: 'Mistake' },
    });
    expect(removed.body.credits).toBe(10);
    expect((await auditOf(service)).at(-1)).toEqual({
      action: 'account.adjust_credits',
      reason: 'Mistake',
      before: { credits: 30, debt: 0 },
      after: { credits: 10, debt: 0 },
    });
    const { body } = await service.call(listTransactions, { bearer: await signedIn(service, dave) });
    expect(body.results[0]).toMatchObject({ transaction_type: 'usage', amount: 20 });
  });

  test('concurrent credit adjustments by several operators never take the balance below zero', async () => {
    const erin = await service.customer('Erin', { credits: 10 });
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        olivia.call(adjustCredits, { ...at(erin), body: { credits: -2, reason: 'Correction' } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect((await sam.call(getOperatorAccount, at(erin))).body.credits).toBe(0);
  });

  test('a credit adjustment is a whole number other than zero', async () => {
    for (const credits of [0, 1.5, 'ten', 2_000_000])
      expect(
        (await olivia.call(adjustCredits, { ...at(alice), body: { credits, reason: 'x' } })).status,
      ).toBe(400);
  });
});

describe("an account's data", () => {
  test('an account’s recipients are masked until an operator reveals one, which the audit log records', async () => {
    const fay = await sender(service, 'Fay');
    const otp_id = await fay.sent('+14155552677');
    await fay.sent('fay.friend@example.com');
    const { body } = await sam.call(listAccountVerifications, at(fay));
    expect(body.results.map(({ recipient }) => recipient)).toEqual(['f••@example.com', '+1415••••77']);
    expect(JSON.stringify(body)).not.toContain('4155552677');
    const found = async (search: string) =>
      (await sam.call(listAccountVerifications, { ...at(fay), query: { search } })).body.count;
    expect([await found('+14155552677'), await found(otp_id)]).toEqual([1, 1]);
    expect([await found('2677'), await found('fay.f')]).toEqual([0, 0]);

    const revealed = await sam.call(revealVerification, {
      params: { id: fay.account_id, otp_id },
      body: { reason: 'Ticket of the customer' },
    });
    expect(revealed.body).toMatchObject({ id: otp_id, recipient: '+14155552677' });
    expect((await auditOf(service)).at(-1)).toMatchObject({
      action: 'verification.reveal',
      reason: 'Ticket of the customer',
    });
    const seen = await service.call(listAuditEntries, {
      bearer: await signedIn(service, fay),
      query: { actor: 'operator' },
    });
    expect(seen.body.results).toMatchObject([
      { action: 'account.reveal', subject: `Verification ${otp_id}`, ip_address: null, user_agent: null },
    ]);
    expect(JSON.stringify(seen.body)).not.toContain('Ticket of the customer');
    const foreign = { params: { id: alice.account_id, otp_id }, body: { reason: 'Curious' } };
    expect((await sam.call(revealVerification, foreign)).status).toBe(404);
  });

  test('an operator sees an account’s keys, connections, webhooks and sessions, and can end the sessions', async () => {
    const gina = await service.customer('Gina');
    const bearer = await signedIn(service, gina);
    const made = await service.call(createConnection, { bearer, body: { system: 'logto', name: 'Portal' } });
    const { body } = await sam.call(getOperatorAccount, at(gina));
    expect(body).toMatchObject({ purchases: 0, purchased_cents: 0, webhooks: [] });
    expect(body.api_keys.map(({ id }) => id)).toEqual([gina.api_key_id]);
    expect(body.connections).toEqual([{ id: made.body.api_key_id, name: 'Portal' }]);
    expect(body.sessions).toHaveLength(1);
    const ended = await olivia.call(endAccountSessions, { ...at(gina), body: { reason: 'Stolen laptop' } });
    expect(ended.body).toEqual({ ended: 1 });
    expect((await other.call(getMe, { bearer })).status).toBe(401);
  });
});
