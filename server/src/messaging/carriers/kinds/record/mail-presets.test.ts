import { listAuditEntries } from '@sixdigit/contract/audit.ts';
import {
  CARRIER_KIND_FACTS,
  checkCarrier,
  createCarrierSetup,
  updateCarrierSetup,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { testCarrier } from '@sixdigit/contract/operator/carriers.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { deleteSuppression, listSuppressions } from '@sixdigit/contract/suppressions.ts';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../../../test/carriers.ts';
import { type CompanyFake, startCompany } from '../../../../../test/fakes/companies/company.ts';
import {
  MAIL_COMPANIES,
  type MailCompany,
  type MailSaid,
  snsMessage,
} from '../../../../../test/fakes/companies/mail.ts';
import type { TakenMessage } from '../../../../../test/fakes/companies/wire.ts';
import type { Incoming, Reply } from '../../../../../test/fakes/http-listener.ts';
import { fixture } from '../../../../../test/fixture.ts';
import { testOperator } from '../../../../../test/operator.ts';
import { sender } from '../../../../../test/sender.ts';
import { signedIn } from '../../../../../test/signed-in.ts';
import { dumpTables } from '../../../../../test/table-dump.ts';

/** Every mail provider against a fake of its API and its events, with the same faults. */
let count = 0;
const reason = 'Set up';
type Setup = Given<typeof createCarrierSetup, 'body'>;

describe.each(MAIL_COMPANIES)('$kind', (company: MailCompany) => {
  const { kind, fields } = company;
  const name = `the-${kind}`;
  const service = fixture(() => serviceWithCarriers(['twilio']));
  const olivia = fixture(() => testOperator(service));
  const alice = fixture(() => sender(service, 'Alice', { credits: 500, keys: 20 }));
  const bob = fixture(() => sender(service, 'Bob'));
  let about: MailCompany['about'];
  const faulty = { ...company, about: (request: Incoming) => (about ?? company.about)?.(request) };
  const fake: CompanyFake = fixture(() => startCompany(faulty, () => service.app.clock.now()));
  const given = (): Setup =>
    ({ name, kind, channels: ['email'], api_url: fake.url, ...fields, reason }) as Setup;
  let url = '';
  let version = 1;
  const { hosts } = company;
  const asked: string[] = [];
  beforeAll(async () => {
    service.app.sns.get = async (address) => {
      asked.push(address.href);
      return hosts?.(address) ?? (address.search === '?Action=ConfirmSubscription' ? 'ok' : undefined);
    };
    const made = await olivia.call(createCarrierSetup, { body: given() });
    expect(made).toMatchObject({ status: 201 });
    const setup = made.body.setups.find((one) => one.name === name);
    url = setup?.report_url ?? '';
    version = setup?.version ?? 0;
    await alice.balance();
    await bob.balance();
  });
  beforeEach(() => service.clock.advance(1_000));

  const post = async (address: string, headers: Record<string, string>, payload: string) => {
    const path = address.replace(/^https?:\/\/[^/]+/, '');
    return (await service.inject({ method: 'POST', url: path, headers, payload })).statusCode;
  };
  const reported = (
    message: TakenMessage,
    said: MailSaid | 'unknown',
    options: Parameters<CompanyFake['callback']>[2] = {},
  ) => {
    const { headers, body } = fake.callback(options.url ?? url, company.event(message, said), options);
    return post(options.url ?? url, headers, body);
  };
  async function mailed(by = alice, recipient = `someone.${++count}@example.com`) {
    const before = await by.balance();
    const otp_id = await by.sent(recipient);
    await service.drain();
    return { recipient, otp_id, before, message: fake.messageTo(recipient) };
  }
  const lastNote = async (otp_id: string) => (await alice.history(otp_id)).at(-1)?.notes;

  test('a code arrives as the provider expects it, and a report of its delivery counts once', async () => {
    const { otp_id, message } = await mailed();
    expect(message.text).toMatch(/\d{6}/);
    for (let n = 0; n < 2; n += 1) expect(await reported(message, 'delivered')).toBe(204);
    expect((await alice.history(otp_id)).map(({ notes }) => notes)).toEqual([
      null,
      `Accepted by ${name}`,
      'Delivered',
    ]);
  });

  test.each([
    ['hard_bounce', 'hard_bounce', /^Bounced, so the address is suppressed/],
    ['suppressed', 'provider', /^Suppressed by the mail provider/],
    ['soft_bounce', undefined, /^Bounced: /],
    ['blocked', undefined, /^Blocked by the mail server: /],
  ] as const)('the event %s returns the credit once and shows cleaned words', async (said, why, note) => {
    const { otp_id, message, before, recipient } = await mailed();
    for (let n = 0; n < 2; n += 1) expect(await reported(message, said)).toBe(204);
    const { status, failure } = await alice.state(otp_id);
    expect(status).toBe('failed');
    expect(failure).toMatch(note);
    expect(failure).not.toMatch(/someone@example|\d{4}/);
    expect(await alice.balance()).toBe(before);
    const again = await alice.send(recipient);
    expect(again.body).toMatchObject(why ? { suppressed_for: why } : { status: 'pending' });
  });

  test('a delay is noted and a complaint suppresses the address, without a refund', async () => {
    const { otp_id, message, before, recipient } = await mailed();
    expect(await reported(message, 'delayed')).toBe(204);
    expect(await lastNote(otp_id)).toMatch(/^Delayed/);
    expect((await alice.state(otp_id)).status).toBe('sent');
    expect(await reported(message, 'complaint')).toBe(204);
    expect(await alice.balance()).toBe(before - 1);
    expect((await alice.send(recipient)).body).toMatchObject({ suppressed_for: 'complaint' });
  });

  test('a late bounce never undoes a delivery, and an unknown event changes nothing', async () => {
    const { otp_id, message, before } = await mailed();
    expect(await reported(message, 'unknown')).toBe(204);
    expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', delivered_at: null });
    for (const said of ['delivered', 'soft_bounce', 'delayed', 'hard_bounce', 'hard_bounce'] as const)
      expect(await reported(message, said)).toBe(204);
    expect(await alice.state(otp_id)).toMatchObject({ status: 'sent', delivered_at: expect.any(String) });
    expect(await alice.balance()).toBe(before - 1);
    expect((await alice.history(otp_id)).slice(3).map(({ notes }) => notes?.split(':')[0])).toEqual([
      'Bounced',
      'Delayed',
      'Bounced, so the address is suppressed',
    ]);
  });

  test('a forged, unsigned or foreign event gets the response of an unknown path', async () => {
    const { otp_id, message, recipient } = await mailed();
    const foreign = { ...message, reference: 'x'.repeat(62) };
    for (const options of [{ forged: true }, { unsigned: true }])
      expect(await reported(message, 'hard_bounce', options)).toBe(404);
    expect(await reported(foreign, 'hard_bounce')).toBe(404);
    if (url.includes('key=')) {
      const bare = url.replace(/\?.*/, '');
      for (const wrong of [bare, `${bare}?key=${'x'.repeat(24)}`, `${bare}?reference=${message.reference}`])
        expect(await reported(message, 'hard_bounce', { url: wrong })).toBe(404);
    }
    expect((await alice.state(otp_id)).status).toBe('sent');
    expect((await alice.send(recipient)).status).toBe(201);
  });

  test('an event about one message with the reference of another suppresses nothing', async () => {
    const mine = await mailed();
    const theirs = await mailed(bob);
    await reported({ ...mine.message, reference: theirs.message.reference }, 'hard_bounce');
    expect((await bob.send(theirs.recipient)).status).toBe(201);
    expect((await alice.send(mine.recipient)).status).toBe(201);
  });

  test.each(Object.keys(company.refusals))('a refusal is understood: %s', async (meaning) => {
    const [status, body, headers = {}] = company.refusals[meaning as keyof MailCompany['refusals']] ?? [
      500,
      {},
    ];
    fake.answer = () => ({ status, body, headers });
    const recipient = `refused.${++count}@example.com`;
    const answer = await olivia.call(testCarrier, {
      params: { name },
      body: { channel: 'email', recipient },
    });
    const otp_id = await alice.sent(recipient, { expires_in: 60 });
    await service.drain();
    fake.answer = undefined;
    expect(answer.body.outcome).toBe('refused');
    expect(answer.body.detail).toMatch(
      { suppressed: /suppresses this address/, retry: /limits the rate|at the moment/ }[meaning] ??
        /does not accept messages of this account|refused the account or its token/,
    );
    // Each carrier's test suppresses nothing; the send does.
    if (meaning === 'suppressed') {
      expect((await alice.state(otp_id)).status).toBe('failed');
      expect((await alice.send(recipient)).body).toMatchObject({ suppressed_for: 'provider' });
    }
    // Another service message ends the breaker's pause.
    await service.clock.advance(60_000);
    await service.drain();
  });

  test('the check of the credentials finds a missing stream or configuration set', async () => {
    const check = async () => (await olivia.call(checkCarrier, { params: { name }, body: {} })).body;
    expect(await check()).toMatchObject({ level: 'ok' });
    if (!CARRIER_KIND_FACTS[kind].preset?.record.check) return;
    const [field = ''] = ['stream', 'configuration_set'].filter((one) => one in fields);
    const { name: _, kind: __, ...rest } = given();
    const changed = { ...rest, is_enabled: true, version, [field]: 'missing' };
    const answer = await olivia.call(updateCarrierSetup, { params: { name }, body: changed });
    expect(answer).toMatchObject({ status: 200 });
    expect(await check()).toMatchObject({ level: 'problem', says: expect.stringContaining('does not have') });
    const right = { ...rest, is_enabled: true, version: version + 1 };
    expect(await olivia.call(updateCarrierSetup, { params: { name }, body: right })).toMatchObject({
      status: 200,
    });
  });

  const { unsuppress } = CARRIER_KIND_FACTS[kind].preset?.record ?? {};
  const removed = async (recipient: string) => {
    const bearer = await signedIn(service, alice);
    const { body } = await service.call(listSuppressions, { bearer, query: { search: recipient } });
    const params = { id: body.results[0]?.id ?? '' };
    const { status, body: reply } = await service.call(deleteSuppression, { bearer, params });
    expect((await alice.send(recipient)).status).toBe(201);
    return { status, ...reply.provider };
  };

  test('after a removal, the reply and the audit log say whether the provider removed the address', async () => {
    const { message, recipient } = await mailed();
    await reported(message, 'hard_bounce');
    expect(await removed(recipient)).toEqual({
      status: 200,
      carrier: name,
      ...(unsuppress
        ? { outcome: 'removed', detail: null }
        : { outcome: 'not_asked', detail: `${name} has no call for its own list.` }),
    });
    const bearer = await signedIn(service, alice);
    const { body } = await service.call(listAuditEntries, { bearer, query: {} });
    const ours = body.results.filter(({ action }) => action.startsWith('suppression.'));
    expect(ours.map(({ action, after }) => [action, after?.outcome])).toEqual([
      ['suppression.provider', unsuppress ? 'removed' : 'not_asked'],
      ['suppression.delete', undefined],
    ]);
  });

  if (unsuppress)
    test.each<[string, Reply, RegExp]>([
      ['refuses the credentials', { status: 401, body: {} }, /refused to remove it \(HTTP 401\)\./],
      ['fails', { status: 503, body: 'busy' }, /\(HTTP 503\)/],
      ['closes the connection', 'reset', /closed the connection/],
    ])('an address is removed even if the provider %s, and the reply says so', async (_what, reply, why) => {
      const { message, recipient } = await mailed();
      await reported(message, 'hard_bounce');
      about = () => reply;
      const found = await removed(recipient);
      about = undefined;
      expect(found).toEqual({
        status: 200,
        carrier: name,
        outcome: 'refused',
        detail: expect.stringMatching(why),
      });
    });

  if (kind === 'postmark')
    test('Postmark refuses to remove an address that complained, and the reply has its words', async () => {
      const { message, recipient } = await mailed(alice, 'complained@example.com');
      await reported(message, 'hard_bounce');
      expect(await removed(recipient)).toMatchObject({
        outcome: 'refused',
        detail: expect.stringContaining('“You do not have the required authority'),
      });
    });

  if (kind === 'ses')
    test('a complaint about a mail that Amazon held back returns the credit', async () => {
      const { message, recipient, before, otp_id } = await mailed();
      const complaint = { complaintSubType: 'OnAccountSuppressionList', complaintFeedbackType: null };
      const event = { ...(company.event(message, 'complaint') as object), complaint };
      const { headers, body } = fake.callback(url, event, {});
      expect(await post(url, headers, body)).toBe(204);
      expect(await alice.state(otp_id)).toMatchObject({ status: 'failed', delivered_at: null });
      expect(await alice.balance()).toBe(before);
      expect((await alice.send(recipient)).body).toMatchObject({ suppressed_for: 'provider' });
    });

  if (kind === 'ses')
    test('an address that is not on Amazon’s list counts as removed', async () => {
      const { message, recipient } = await mailed(alice, 'absent@example.com');
      await reported(message, 'hard_bounce');
      expect(await removed(recipient)).toMatchObject({ outcome: 'removed' });
    });

  if (unsuppress)
    test.each(['complaint', 'hard_bounce'] as const)(
      'an account cannot remove from the shared list what it did not put there: %s',
      async (said) => {
        const { message, recipient } = await mailed();
        await reported(message, said);
        if (said === 'hard_bounce') {
          const { message: bobs } = await mailed(bob, recipient);
          await reported(bobs, 'complaint');
        }
        about = () => ({ status: 500, body: 'asked' });
        const found = await removed(recipient);
        about = undefined;
        expect(found).toMatchObject({ status: 200, outcome: 'not_asked' });
      },
    );

  test('no provider is asked about an address that is no longer stored', async () => {
    const { message, recipient, otp_id } = await mailed();
    await reported(message, 'hard_bounce');
    await service.app.db.run(`update verifications set recipient = '[removed]' where id = $1`, [otp_id]);
    expect(await removed(recipient)).toMatchObject({ outcome: 'not_asked', detail: expect.any(String) });
  });

  test('its secrets are in no table, log or response', async () => {
    const secrets = CARRIER_KIND_FACTS[kind].fields.flatMap((field) =>
      field.isSecret ? [fields[field.name] ?? ''] : [],
    );
    const all = [...(await dumpTables(service.app.db)).map(({ text }) => text), ...service.logLines].join(
      '\n',
    );
    for (const secret of secrets.filter(Boolean)) expect(all).not.toContain(secret);
  });

  if (kind === 'ses')
    test('only a signed subscription of the topic is confirmed, at a host of SNS', async () => {
      const at = service.app.clock.now();
      const confirm = (subscribe: string, more: Record<string, string> = {}) =>
        post(
          url,
          { 'content-type': 'text/plain; charset=UTF-8' },
          JSON.stringify(
            snsMessage(
              {
                Type: 'SubscriptionConfirmation',
                Message: 'You have chosen to subscribe',
                Token: 't1',
                SubscribeURL: subscribe,
                ...more,
              },
              at,
            ),
          ),
        );
      const right = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription';
      expect(await confirm(right)).toBe(204);
      expect(asked).toContain(right);
      asked.length = 0;
      const wrong = [
        'https://169.254.169.254/?Action=ConfirmSubscription',
        'https://sns.eu-central-1.amazonaws.com.evil.example/?Action=ConfirmSubscription',
        'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription',
        'http://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription',
      ];
      for (const address of wrong) await confirm(address);
      expect(await confirm(right, { TopicArn: 'arn:aws:sns:eu-central-1:999999999999:mine' })).toBe(404);
      expect(await confirm(right, { SigningCertURL: 'https://evil.example/c.pem' })).toBe(404);
      expect(asked.filter((address) => !address.endsWith('.pem'))).toEqual([]);
      expect(
        asked.filter((address) => !address.startsWith('https://sns.eu-central-1.amazonaws.com/')),
      ).toEqual([]);
    });

  if (kind === 'ses')
    test('signature version 1 is understood, and an old message is refused', async () => {
      const { otp_id, message } = await mailed();
      const Message = JSON.stringify(company.event(message, 'delivered'));
      const type = { 'content-type': 'text/plain; charset=UTF-8' };
      const now = service.app.clock.now();
      const old = snsMessage({ Message }, new Date(now.getTime() - 2 * 3_600_000));
      expect(await post(url, type, JSON.stringify(old))).toBe(404);
      const one = snsMessage({ Message, SignatureVersion: '1', Subject: 'Amazon SES' }, now);
      expect(await post(url, type, JSON.stringify({ ...one, Message: `${Message} ` }))).toBe(404);
      expect(await post(url, type, JSON.stringify(one))).toBe(204);
      expect((await alice.state(otp_id)).delivered_at).not.toBeNull();
    });
});
