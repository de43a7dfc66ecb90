import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { checkResetLink, forgotPassword, resetPassword } from '@sixdigit/contract/accounts/passwords.ts';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { type AuditAction, listAuditEntries } from '@sixdigit/contract/audit.ts';
import { confirmEmailChange, requestEmailChange } from '@sixdigit/contract/operator/email-change.ts';
import { createOperatorKey, listOperatorActions } from '@sixdigit/contract/operator/operator.ts';
import { describe, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { auditOf, testOperator } from '../../../test/operator.ts';
import {
  anotherSession,
  codeFor,
  linkTokenFor,
  type Person,
  person,
  wrongCode,
} from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';

const DAY = 86_400_000;
const REASON = 'Lost the old mailbox';

/** Olivia and Oscar are admins. */
const service = fixture(testService);
const olivia = fixture(() => testOperator(service));
const oscar = fixture(() => testOperator(service, { name: 'Oscar' }));

type Owner = Person & { id: string };
async function owner(name: string): Promise<Owner> {
  const someone = await person(service, name);
  return { ...someone, id: (await service.call(getMe, { bearer: someone.access })).body.id };
}
const request = ({ id }: { id: string }, email: string, by = olivia, reason = REASON) =>
  by.call(requestEmailChange, { params: { id }, body: { email, reason } });
const confirm = ({ id }: { id: string }, session_token: string, code: string, by = olivia) =>
  by.call(confirmEmailChange, { params: { id }, body: { session_token, code } });
const emailOf = async ({ id }: { id: string }): Promise<string> =>
  (await service.app.db.one<{ email: string }>('select email from accounts where id = $1', [id])).email;
const subjects = async (email: string) => (await service.inbox(email)).map(({ subject }) => subject);

describe('a change of the e-mail address by an operator', () => {
  test('an operator’s change of an email address takes effect with the code sent to the new address, and ends every session', async () => {
    const ada = await owner('Ada');
    const { body, status } = await request(ada, ' Ada.New@People.test ');
    expect({ status, sent_to: body.sent_to }).toEqual({ status: 200, sent_to: 'a•••@people.test' });
    const code = await codeFor(service, 'ada.new@people.test');
    expect(await emailOf(ada)).toBe(ada.email);
    expect((await service.call(getMe, { bearer: ada.access })).status).toBe(200);
    expect(await subjects(ada.email)).toContain(
      'A new email address was requested for your Sixdigit account',
    );

    const changed = await confirm(ada, body.session_token, code);
    expect(changed).toMatchObject({
      status: 200,
      body: { id: ada.id, email: 'ada.new@people.test', sessions: [] },
    });
    expect((await service.call(getMe, { bearer: ada.access })).status).toBe(401);
    await service.drain();
    for (const address of [ada.email, 'ada.new@people.test']) {
      const [mail] = await service.inbox(address);
      expect(mail).toMatchObject({
        subject: 'Your email address was changed',
        text: expect.stringContaining('a•••@people.test'),
      });
      expect(mail?.text).not.toContain('ada.new');
    }
    await anotherSession(service, { ...ada, email: 'ada.new@people.test' });
    const old = await service.call(signIn, { body: { email: ada.email, password: ada.password } });
    expect(old.body.reason).toBe('invalid_credentials');
  });

  test('an operator’s change of an email address is in both audit logs, as a request and a change, with masked addresses', async () => {
    const bea = await owner('Bea');
    const { body } = await request(bea, 'bea.new@people.test', olivia, `${bea.email} is lost`);
    await confirm(bea, body.session_token, await codeFor(service, 'bea.new@people.test'));
    const { results } = (await olivia.call(listOperatorActions, { query: { account_id: bea.id } })).body;
    expect(results.map(({ action, reason, before, after }) => ({ action, reason, before, after }))).toEqual(
      ['account.change_email', 'account.request_email'].map((action) => ({
        action,
        reason: '[erased] is lost',
        before: { email: 'b••@people.test' },
        after: { email: 'b••@people.test' },
      })),
    );
    expect(JSON.stringify(await auditOf(service))).not.toMatch(/bea\.\w+@/);
    const bearer = (await anotherSession(service, { ...bea, email: 'bea.new@people.test' })).access;
    const own = await service.call(listAuditEntries, { bearer, query: { actor: 'operator' } });
    expect(own.body.results.map(({ action }) => action)).toEqual([
      'email.change',
      'email.request',
    ] satisfies AuditAction[]);
  });

  test('a wrong code does not change an email address, and the fifth ends the request', async () => {
    const cleo = await owner('Cleo');
    const { body } = await request(cleo, 'cleo.new@people.test');
    const code = await codeFor(service, 'cleo.new@people.test');
    for (const attempts_remaining of [4, 3, 2, 1, 0])
      expect((await confirm(cleo, body.session_token, wrongCode(code))).body).toMatchObject({
        reason: 'invalid_verification_code',
        attempts_remaining,
      });
    expect((await confirm(cleo, body.session_token, code)).body.reason).toBe('invalid_session_token');
    expect(await emailOf(cleo)).toBe(cleo.email);
  });

  test('a change of an email address must be confirmed by the same operator, for the same account, within five minutes', async () => {
    const dora = await owner('Dora');
    const other = await owner('Other');
    const { body } = await request(dora, 'dora.new@people.test');
    const code = await codeFor(service, 'dora.new@people.test');
    for (const refused of [
      await confirm(dora, body.session_token, code, oscar),
      await confirm(other, body.session_token, code),
      await confirm(dora, 'invented', code),
    ])
      expect(refused.body.reason).toBe('invalid_session_token');
    await service.clock.advance(6 * 60_000);
    expect((await confirm(dora, body.session_token, code)).body.reason).toBe('invalid_verification_code');
    expect(await emailOf(dora)).toBe(dora.email);
  });

  test('an email change is refused to the same or a used address, and for an operator or a deleted account', async () => {
    const eva = await owner('Eva');
    const refusal = async (target: { id: string }, email: string) =>
      ((await request(target, email)).body as Record<string, unknown>).email;
    expect(await refusal(eva, eva.email)).toEqual(['The account already has this address.']);
    expect(await refusal(eva, olivia.email)).toEqual(['Another account has this address.']);
    expect(await refusal(eva, 'no address')).toEqual(['Please enter a valid email address']);
    expect(await refusal({ id: oscar.account_id }, 'oscar.new@people.test')).toEqual([
      'This account is an operator. Remove its role first.',
    ]);
    expect((await request({ id: 'no id' }, 'new@people.test')).status).toBe(404);
    expect((await request({ id: service.app.random.uuid() }, 'new@people.test')).status).toBe(404);
    expect((await request(eva, 'eva.new@people.test', olivia, ' ')).body).toMatchObject({
      reason: ['Please enter a reason'],
    });
  });

  test('an operator key cannot change an email address', async () => {
    const { body } = await olivia.call(createOperatorKey, {
      body: { name: 'Robot', scopes: ['accounts:write', 'erasures:write'], expires_in_days: 1 },
    });
    const refused = await service.call(requestEmailChange, {
      bearer: body.key,
      params: { id: olivia.account_id },
      body: { email: 'new@people.test', reason: REASON },
    });
    expect(refused.body).toMatchObject({ reason: 'operator_scope_required' });
  });
});

describe('concurrent changes of an e-mail address', () => {
  test('of concurrent requests to change an email address, only the last one stays valid', async () => {
    const fay = await owner('Fay');
    const [one, two] = [
      await request(fay, 'fay.one@people.test'),
      await request(fay, 'fay.two@people.test', oscar),
    ];
    const [first, second] = [
      await codeFor(service, 'fay.one@people.test'),
      await codeFor(service, 'fay.two@people.test'),
    ];
    expect((await confirm(fay, one.body.session_token, first)).body.reason).toBe('invalid_session_token');
    expect((await confirm(fay, two.body.session_token, second, oscar)).status).toBe(200);

    const together = await Promise.all(
      ['a', 'b', 'c'].map((name, n) => request(fay, `fay.${name}@people.test`, n === 1 ? oscar : olivia)),
    );
    expect(together.map(({ status }) => status)).toEqual([200, 200, 200]);
    const pending = await service.app.db.rows(
      `select 1 from challenges where account_id = $1 and purpose = 'email_change'`,
      [fay.id],
    );
    expect(pending).toHaveLength(1);
  });

  test('a code entered twice concurrently changes the email address once', async () => {
    const gil = await owner('Gil');
    const { body } = await request(gil, 'gil.new@people.test');
    const code = await codeFor(service, 'gil.new@people.test');
    const answers = await Promise.all([1, 2, 3].map(() => confirm(gil, body.session_token, code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  });

  test('of two accounts that verify an email address at the same time, one gets it', async () => {
    const [hal, ida] = [await owner('Hal'), await owner('Ida')];
    const wanted = 'wanted@people.test';
    const ofHal = await request(hal, wanted);
    const hals = await codeFor(service, wanted);
    const ofIda = await request(ida, wanted);
    const idas = await codeFor(service, wanted);
    const answers = await Promise.all([
      confirm(hal, ofHal.body.session_token, hals),
      confirm(ida, ofIda.body.session_token, idas),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(answers.find(({ status }) => status === 400)?.body).toMatchObject({
      email: ['Another account has this address.'],
    });
    expect([await emailOf(hal), await emailOf(ida)].filter((email) => email === wanted)).toHaveLength(1);
  });

  test.each([
    [
      'another address',
      `update people set email = 'jo.moved@people.test' where id = $1`,
      { reason: 'changed_meanwhile' },
    ],
    [
      'the role of an operator',
      `insert into operators (person_id, role, created_at) values ($1, 'support', clock_now())`,
      { email: ['This account is an operator. Remove its role first.'] },
    ],
  ])('a change is refused if the account has got %s since the request', async (_, change, refusal) => {
    const jo = await owner('Jo');
    const { body } = await request(jo, 'jo.new@people.test');
    const code = await codeFor(service, 'jo.new@people.test');
    await service.app.db.run(change, [jo.id]);
    const before = await emailOf(jo);
    expect((await confirm(jo, body.session_token, code)).body).toMatchObject(refusal);
    expect(await emailOf(jo)).toBe(before);
  });

  test('a reset link or code that was mailed to the old address is invalid after the change', async () => {
    const ned = await owner('Ned');
    const { body } = await request(ned, 'ned.new@people.test');
    const asked = await service.call(forgotPassword, { body: { email: ned.email } });
    const code = await codeFor(service, 'ned.new@people.test');
    const { session_token } = asked.body;
    const fresh = { password: 'quite another sentence', confirm_password: 'quite another sentence' };
    const byCode = { body: { ...fresh, session_token, code: await codeFor(service, ned.email) } };
    const link = { body: { token: await linkTokenFor(service, ned.email) } };
    expect((await service.call(checkResetLink, link)).status).toBe(204);
    expect((await confirm(ned, body.session_token, code)).status).toBe(200);
    expect((await service.call(checkResetLink, link)).body).toMatchObject({ reason: 'invalid_reset_link' });
    expect((await service.call(resetPassword, byCode)).body).toMatchObject({
      reason: 'invalid_session_token',
    });
  });
});

describe('requests for a change of the e-mail address', () => {
  test('requests for an email change are limited to five a day per account and per address', async () => {
    const kim = await owner('Kim');
    for (const n of [1, 2, 3, 4, 5]) expect((await request(kim, `kim.${n}@people.test`)).status).toBe(200);
    expect((await request(kim, 'kim.6@people.test')).body.reason).toBe('too_many_requests');
    const victim = 'flooded@people.test';
    for (const n of [1, 2, 3, 4, 5])
      expect((await request(await owner(`Leo${n}`), victim, oscar)).status).toBe(200);
    expect((await request(await owner('Leo6'), victim, oscar)).body.reason).toBe('too_many_requests');
    await service.clock.advance(DAY);
    expect((await request(kim, 'kim.6@people.test')).status).toBe(200);
  });

  test('refused requests for an email change do not count against the limit', async () => {
    const mia = await owner('Mia');
    for (let n = 0; n < 8; n += 1) await request(mia, olivia.email);
    expect((await request(mia, 'mia.new@people.test')).status).toBe(200);
  });
});
