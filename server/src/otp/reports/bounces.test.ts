import { checkCarrier, createCarrierSetup } from '@sixdigit/contract/operator/carrier-setups.ts';
import { testCarrier } from '@sixdigit/contract/operator/carriers.ts';
import { beforeEach, expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { automaticReply, type BouncedTo, complaintMail, statusMail } from '../../../test/fakes/bounces.ts';
import { startNameServer } from '../../../test/fakes/dns.ts';
import { startSmtp } from '../../../test/fakes/smtp.ts';
import { fixture } from '../../../test/fixture.ts';
import { holdLock } from '../../../test/held-lock.ts';
import { testOperator } from '../../../test/operator.ts';
import { type Sender, sender } from '../../../test/sender.ts';
import { addressKey } from '../../messaging/carriers/carriers.ts';

/** Bounces of mail over SMTP, as the mail server passes them on. */
const DOMAIN = 'bounces.sixdigit.test';
const DAY = 24 * 3_600_000;
const dns = fixture(startNameServer);
const service = fixture(() =>
  serviceWithCarriers(['smtp'], { BOUNCE_DOMAIN: DOMAIN, DNS_SERVERS: dns.address }),
);
const alice = fixture(() => sender(service, 'Alice', { credits: 500, keys: 20 }));
const bob = fixture(() => sender(service, 'Bob'));
let count = 0;
beforeEach(() => service.clock.advance(1_000));

interface Options {
  carrier?: string;
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

const post = (payload: string | Buffer, options: Options = {}) => {
  const { carrier = 'smtp', key = addressKey(service.app, carrier), query = {}, headers = {} } = options;
  return service.inject({
    method: 'POST',
    url: `/api/v1/carriers/${carrier}/bounces/?${new URLSearchParams({ key, ...query })}`,
    headers: { 'content-type': 'message/rfc822', ...headers },
    payload,
  });
};
const resultOf = async (mail: string | Buffer, options?: Options) => {
  const answer = await post(mail, options);
  expect(answer.statusCode).toBe(200);
  return answer.json() as { result: string; because?: string };
};
const ignored = (because: string) => ({ result: 'ignored', because });

async function mailed(by: Sender = alice, recipient = `someone.${++count}@example.com`) {
  const before = await by.balance();
  const otp_id = await by.sent(recipient);
  await service.drain();
  const mail = await service.smtp.waitForMailTo(recipient);
  service.smtp.clear();
  return { otp_id, before, recipient, to: mail.envelope.from, code: mail.code };
}
const lastNote = async (otp_id: string) => (await alice.history(otp_id)).at(-1)?.notes ?? '';

test('each message has its own bounce address, which names it in at most 64 characters', async () => {
  const [one, two] = [await mailed(), await mailed()];
  expect(one.to).toMatch(new RegExp(`^bounce\\+[0-9a-f]{56}@${DOMAIN.replaceAll('.', '\\.')}$`));
  expect(one.to.indexOf('@')).toBeLessThanOrEqual(64);
  expect(two.to).not.toBe(one.to);
  expect(await resultOf(statusMail({ ...one, to: one.to.toUpperCase() }))).toEqual({ result: 'hard_bounce' });
  expect((await alice.state(two.otp_id)).status).toBe('sent');
});

test('a repeated bounce does not wait for the account’s sends', async () => {
  const { to, otp_id, before, recipient } = await mailed();
  const bounce = statusMail({ to, recipient });
  expect(await resultOf(bounce)).toEqual({ result: 'hard_bounce' });
  const balance = 'select from balances where account_id = $1 for update';
  await using sending = await holdLock(service, balance, [alice.account_id]);
  expect(await resultOf(bounce)).toEqual({ result: 'hard_bounce' });
  await sending.commit();
  expect((await alice.state(otp_id)).status).toBe('failed');
  expect(await alice.balance()).toBe(before);
});

test('a carrier without a bounce domain sends from its own address and reads no bounces', async () => {
  await using plain = await serviceWithCarriers(['smtp']);
  const anna = await sender(plain, 'Anna');
  await anna.sent('anna@example.com');
  await plain.drain();
  expect((await plain.smtp.waitForMailTo('anna@example.com')).envelope.from).toBe('codes@sixdigit.test');
  const answer = await plain.inject({
    method: 'POST',
    url: `/api/v1/carriers/smtp/bounces/?key=${addressKey(plain.app, 'smtp')}`,
    headers: { 'content-type': 'message/rfc822' },
    payload: 'x',
  });
  expect(answer.statusCode).toBe(404);
});

test.each([
  ['5.1.1', '550 5.1.1 No such user', 'hard_bounce', 'hard_bounce'],
  ['5.1.2', '550 5.1.2 Bad domain', 'hard_bounce', 'hard_bounce'],
  ['5.1.10', '556 5.1.10 Null MX', 'hard_bounce', 'hard_bounce'],
  ['5.0.0', '550-5.1.1 The address', 'hard_bounce', 'hard_bounce'],
  ['5.1.0', '550 5.1.0 Rejected', 'soft_bounce', undefined],
  ['5.2.2', '552 5.2.2 Mailbox full', 'soft_bounce', undefined],
  ['4.4.7', '451 4.2.0 Expired', 'soft_bounce', undefined],
  ['5.0.0', '550 User unknown', 'soft_bounce', undefined],
  ['5.5.0', 'host 5.1.1.2 said no', 'soft_bounce', undefined],
  ['5.7.1', '554 5.7.1 Looks like spam', 'blocked', undefined],
  ['5.1.8', '550 5.1.8 Bad sender domain', 'blocked', undefined],
  ['nonsense', '', 'soft_bounce', undefined],
])('the status %s with the words "%s" is a %s', async (status, words, result, suppressed_for) => {
  const sent = await mailed();
  for (let n = 0; n < 2; n += 1)
    expect(await resultOf(statusMail(sent, { status, words }))).toEqual({ result });
  expect((await alice.state(sent.otp_id)).status).toBe('failed');
  expect(await alice.balance()).toBe(sent.before);
  const again = await alice.send(sent.recipient);
  expect(again.body).toMatchObject(suppressed_for ? { suppressed_for } : { status: 'pending' });
  await service.drain();
});

test('a delay is noted, and a bounce after it returns the credit once', async () => {
  const sent = await mailed();
  const delay = statusMail(sent, { action: 'delayed', status: '4.4.1', words: 'no answer from host' });
  expect(await resultOf(delay)).toEqual({ result: 'delayed' });
  expect(await lastNote(sent.otp_id)).toBe('Delayed: 4.4.1 no answer from host');
  expect((await alice.state(sent.otp_id)).status).toBe('sent');
  const failure = statusMail(sent, { status: '4.4.7', words: '4.4.7 expired' });
  await Promise.all(Array.from({ length: 8 }, () => resultOf(failure)));
  expect(await alice.balance()).toBe(sent.before);
  expect(await resultOf(delay)).toEqual({ result: 'delayed' });
  expect((await alice.state(sent.otp_id)).status).toBe('failed');
});

test('a bounce of a message whose code was used changes neither its status nor its price', async () => {
  const sent = await mailed();
  await alice.verify(sent.otp_id, sent.code);
  await resultOf(statusMail(sent, { status: '5.2.2' }));
  expect(await alice.state(sent.otp_id)).toMatchObject({ status: 'verified', cost_credits: 1 });
});

test('a complaint suppresses the address for its account only, without a refund', async () => {
  const sent = await mailed();
  const registered = { ...sent, to: `complaints@${DOMAIN}` };
  expect(await resultOf(complaintMail(registered, { sender: sent.to }))).toEqual({ result: 'complaint' });
  expect(await alice.balance()).toBe(sent.before - 1);
  expect((await alice.send(sent.recipient)).body).toMatchObject({ suppressed_for: 'complaint' });
  expect((await bob.send(sent.recipient)).status).toBe(201);
  await service.drain();
});

test('bounces by mail suppress an address only in the accounts that sent to it', async () => {
  const first = await mailed();
  await resultOf(statusMail(first, { status: '5.1.1' }));
  await resultOf(statusMail(await mailed(bob, first.recipient), { status: '5.1.1' }));
  for (const one of [alice, bob])
    expect((await one.send(first.recipient)).body).toMatchObject({ suppressed_for: 'hard_bounce' });
  const carol = await sender(service, 'Carol');
  expect((await carol.send(first.recipient)).status).toBe(201);
  await service.drain();
});

test.each(['not-spam', 'auth-failure', 'virus'])(
  'a feedback report of the type %s changes nothing',
  async (type) => {
    const sent = await mailed();
    expect(await resultOf(complaintMail(sent, { type }))).toEqual(ignored('no_failure'));
    expect((await alice.send(sent.recipient)).status).toBe(201);
    await service.drain();
  },
);

test.each([
  ['the header of the envelope recipient', (to: string) => ({ headers: { 'x-envelope-recipient': to } })],
  ['the query', (recipient: string) => ({ query: { recipient } })],
  ['a rewritten address', (to: string) => ({ query: { recipient: `prvs=0123abcd=${to}` } })],
])('the bounce address is read from %s', async (_, options) => {
  const sent = await mailed();
  const mail = statusMail({ ...sent, to: 'postmaster@sixdigit.test' }, { status: '5.2.2' });
  expect(await resultOf(mail, options(sent.to))).toEqual({ result: 'soft_bounce' });
});

test.each(['Delivered-To', 'X-Original-To'])('the bounce address is read from %s', async (name) => {
  const sent = await mailed();
  const mail = statusMail({ ...sent, to: 'undisclosed-recipients:;' }, { status: '5.2.2' });
  expect(await resultOf(`${name}: ${sent.to}\r\n${mail}`)).toEqual({ result: 'soft_bounce' });
});

const nested = (sent: BouncedTo, other: BouncedTo): string =>
  statusMail(sent, { action: 'relayed' }, statusMail(other).replaceAll('b1', 'b2').split('\r\n'));
type Mailed = Awaited<ReturnType<typeof mailed>>;
test.each<[string, (one: Mailed, other: Mailed) => string | Buffer, string]>([
  ['an out-of-office reply', (one) => automaticReply(one), 'not_a_report'],
  ['an empty mail', () => '\r\n', 'not_a_report'],
  ['bytes that are no mail', () => Buffer.alloc(2_000, 0xff), 'not_a_report'],
  ['a forwarded bounce', (one) => `To: ${one.to}\r\n\r\n${statusMail(one)}`, 'not_a_report'],
  [
    'a read receipt',
    (one) => statusMail(one).replaceAll('message/delivery-status', 'message/disposition-notification'),
    'no_failure',
  ],
  ['a confirmation of delivery', (one) => statusMail(one, { action: 'delivered' }), 'no_failure'],
  ['a report that quotes another bounce', nested, 'no_failure'],
  [
    'a report that only quotes its own bounce',
    (one) => nested(one, one).replace('message/delivery-status', 'text/plain'),
    'no_failure',
  ],
  ['a bounce of a bounce', (one) => statusMail({ ...one, recipient: one.to }), 'bounce_loop'],
  ['a mail without a bounce address', (one) => statusMail({ ...one, to: `me@${DOMAIN}` }), 'no_token'],
  [
    'an invented token',
    (one) => statusMail({ ...one, to: `bounce+${'0'.repeat(56)}@${DOMAIN}` }),
    'forged_token',
  ],
  [
    'an id without a token',
    (one) => statusMail({ ...one, to: `bounce+${one.otp_id}@${DOMAIN}` }),
    'forged_token',
  ],
  [
    'one message’s id with another’s token',
    (one, other) => statusMail({ ...one, to: one.to.slice(0, 39) + other.to.slice(39) }),
    'forged_token',
  ],
  [
    'a mail of a hundred nested parts',
    (one) =>
      statusMail(one).replace(
        /\r\n--b1\r\n[\s\S]*/,
        Array.from(
          { length: 100 },
          (_, n) => `\r\n--b${n + 1}\r\nContent-Type: multipart/mixed; boundary="b${n + 2}"\r\n`,
        ).join(''),
      ),
    'unreadable',
  ],
])('%s is ignored', async (_, mailOf, because) => {
  const [one, other] = [await mailed(), await mailed()];
  expect(await resultOf(mailOf(one, other))).toEqual(ignored(because));
  for (const { otp_id, recipient } of [one, other]) {
    expect((await alice.state(otp_id)).status).toBe('sent');
    expect((await alice.send(recipient)).status).toBe(201);
  }
  await service.drain();
});

test('a bounce in another charset is read, and its words are cleaned', async () => {
  const sent = await mailed();
  const words = '550 5.1.1 Postf\xe4cher von other.person@example.com 123456 gel\xf6scht';
  expect(await resultOf(Buffer.from(statusMail(sent, { words }), 'latin1'))).toEqual({
    result: 'hard_bounce',
  });
  const note = await lastNote(sent.otp_id);
  expect(note).toMatch(/^Bounced, so the address is suppressed: 550 5\.1\.1 Postf/);
  expect(note).not.toMatch(/other\.person@|\d{4}/);
});

test('a bounce about another address never suppresses the recipient for good', async () => {
  const sent = await mailed();
  const forwarded = { ...sent, recipient: 'forwarded@elsewhere.example' };
  await resultOf(statusMail(forwarded));
  expect((await alice.state(sent.otp_id)).failure).toMatch(/^Bounced: /);
  expect((await alice.send(sent.recipient)).status).toBe(201);
  await service.drain();
});

test('the holder of one message’s address cannot suppress another address', async () => {
  const [mine, theirs] = [await mailed(), await mailed(bob)];
  await resultOf(statusMail({ to: mine.to, recipient: theirs.recipient }));
  await resultOf(complaintMail({ to: mine.to, recipient: theirs.recipient }));
  for (const by of [alice, bob]) expect((await by.send(theirs.recipient)).status).toBe(201);
  await service.drain();
});

test('a bounce address is valid for seven days', async () => {
  const [early, late] = [await mailed(), await mailed()];
  await service.clock.advance(7 * DAY - 60_000);
  expect(await resultOf(statusMail(early))).toEqual({ result: 'hard_bounce' });
  await service.clock.advance(120_000);
  expect(await resultOf(statusMail(late))).toEqual(ignored('expired_token'));
  expect((await alice.send(late.recipient)).status).toBe(201);
  await service.drain();
});

test('strangers get the response of an unknown path, before the size of their mail matters', async () => {
  const sent = await mailed();
  const mail = statusMail(sent);
  const huge = mail.padEnd(20 * 1024 * 1024, 'x');
  const unknown = (await post(mail, { carrier: 'unknown' })).json();
  for (const answer of [
    await post(mail, { key: '' }),
    await post(mail, { key: 'x'.repeat(24) }),
    await post(mail, { key: addressKey(service.app, 'other') }),
    await post(huge, { key: 'x'.repeat(24) }),
  ]) {
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toEqual(unknown);
  }
  expect((await post(huge)).statusCode).toBe(413);
  expect((await post('{}', { headers: { 'content-type': 'application/json' } })).statusCode).toBe(415);
  expect((await alice.state(sent.otp_id)).status).toBe('sent');
});

test('a token of one carrier is worth nothing at another, and an operator sees the bounce of a test', async () => {
  await using other = await startSmtp();
  const olivia = await testOperator(service);
  const { hostname: host, port } = new URL(other.url);
  const name = 'second-mail';
  const body = { name, kind: 'smtp', channels: ['email'], host, port, encryption: 'starttls' } as const;
  const more = { from: 'codes@second.test', bounce_domain: 'bounces.second.test', reason: 'Set up' };
  const made = await olivia.call(createCarrierSetup, { body: { ...body, channels: ['email'], ...more } });
  expect(made).toMatchObject({ status: 201 });
  const url = made.body.setups.find((one) => one.name === name)?.report_url ?? '';
  expect(url).toMatch(new RegExp(`/carriers/${name}/bounces/\\?key=[\\w-]{24}$`));
  const recipient = 'test@example.com';
  await olivia.call(testCarrier, { params: { name }, body: { channel: 'email', recipient } });
  const { envelope } = await other.waitForMailTo(recipient);
  const mail = statusMail({ to: envelope.from, recipient });
  expect(await resultOf(mail)).toEqual(ignored('forged_token'));
  expect(await resultOf(mail, { carrier: name })).toEqual({ result: 'hard_bounce' });
  const [key = ''] = /[\w-]{24}$/.exec(url) ?? [];
  expect(await resultOf(mail, { carrier: name, key })).toEqual({ result: 'hard_bounce' });
  const check = async () => (await olivia.call(checkCarrier, { params: { name }, body: {} })).body;
  expect(await check()).toMatchObject({ level: 'problem', says: expect.stringContaining('no MX record') });
  dns.others.set('MX bounces.second.test', ['10 mail.second.test']);
  dns.records.set('bounces.second.test', ['v=spf1 mx ~all']);
  dns.records.set('_dmarc.second.test', ['v=DMARC1; p=none']);
  expect(await check()).toMatchObject({ level: 'ok' });
});
