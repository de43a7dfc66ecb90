import twilio from 'twilio';
import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../../test/carriers.ts';
import { fixture } from '../../../test/fixture.ts';
import { sender, wrongCode } from '../../../test/sender.ts';
import { refusalOf, type TwilioClient, twilioClient } from '../../../test/twilio-client.ts';
import { sidOf } from './sids.ts';

const service = fixture(() =>
  serviceWithCarriers(['http', 'smtp'], { ALLOWED_COUNTRIES: 'US,CA,CH', VOICE_CARRIERS: 'http' }),
);
const alice = fixture(() => sender(service, 'Alice', { keys: 40, credits: 1_000 }));
const address = fixture(async () => ({ url: await service.listen() }));

/** Another key each time, because a key has a limit of requests per second. */
const client = (): TwilioClient =>
  twilioClient(address.url, { account_id: alice.account_id, api_key: alice.key() });

let count = 0;
const phone = () => `+1415555${String(2000 + ++count)}`;

const made = async (params: { codeLength?: number; customCodeEnabled?: boolean } = {}) =>
  (await client().verify.v2.services.create({ friendlyName: 'Acme', ...params })).sid;
const at = (sid: string) => client().verify.v2.services(sid);

/** The texts that a recipient got, and the code in the last one. */
async function received(recipient: string): Promise<{ texts: string[]; code: string }> {
  await service.drain();
  const texts = service.http.messages
    .filter((one) => one.recipient === recipient)
    .map(({ text }) => String(text));
  return { texts, code: /\d{4,10}/.exec(texts.at(-1) ?? '')?.[0] ?? '' };
}

test('a plain client sends a code and checks it with one line changed', async () => {
  const plain = twilio(sidOf('AC', alice.account_id), alice.key());
  plain.verify.baseUrl = `${address.url}/compat/twilio`;
  const { sid } = await plain.verify.v2.services.create({ friendlyName: 'My App' });
  const to = phone();
  const started = await plain.verify.v2.services(sid).verifications.create({ to, channel: 'sms' });
  expect(started).toMatchObject({ to, channel: 'sms', status: 'pending', valid: false, serviceSid: sid });
  expect(started.dateCreated).toBeInstanceOf(Date);
  const { texts, code } = await received(to);
  expect(texts).toEqual([`Your My App verification code is: ${code}`]);
  const check = () => plain.verify.v2.services(sid).verificationChecks.create({ to, code });
  expect(await check()).toMatchObject({ sid: started.sid, status: 'approved', valid: true });
  expect(await refusalOf(check())).toMatchObject({
    status: 404,
    code: 20404,
    details: { reason: 'already_approved' },
  });
});

test('an API key with its own SID works as an API key of Twilio', async () => {
  const plain = twilio(sidOf('SK', alice.api_key_id), alice.api_key, {
    accountSid: sidOf('AC', alice.account_id),
  });
  plain.verify.baseUrl = `${address.url}/compat/twilio`;
  expect((await plain.verify.v2.services.list()).length).toBeGreaterThan(0);
});

test('services are created, read, changed, listed page by page and removed', async () => {
  const bob = await sender(service, 'Bob Services', { keys: 1 });
  const { services } = twilioClient(address.url, bob).verify.v2;
  const names = ['One', 'Two', 'Three'];
  const sids: string[] = [];
  for (const friendlyName of names) sids.push((await services.create({ friendlyName, codeLength: 4 })).sid);
  expect((await services.list({ pageSize: 2 })).map(({ friendlyName }) => friendlyName)).toEqual(
    names.toReversed(),
  );
  const [first = ''] = sids;
  expect(await services(first).fetch()).toMatchObject({ friendlyName: 'One', codeLength: 4 });
  const changed = await services(first).update({ codeLength: 8, customCodeEnabled: true });
  expect(changed).toMatchObject({ friendlyName: 'One', codeLength: 8, customCodeEnabled: true });
  expect(await services(first).remove()).toBe(true);
  expect(await refusalOf(services(first).fetch())).toMatchObject({
    status: 404,
    code: 20404,
    details: { reason: 'service_not_found' },
  });
});

test.each([
  [{ friendlyName: 'Visit acme.com' }, 'FriendlyName'],
  [{ friendlyName: 'Call 12345' }, 'FriendlyName'],
  [{ friendlyName: 'x'.repeat(33) }, 'FriendlyName'],
  [{ friendlyName: 'Acme', codeLength: 3 }, 'CodeLength'],
  [{ friendlyName: 'Acme', codeLength: 11 }, 'CodeLength'],
  [{ friendlyName: 'Acme', psd2Enabled: true }, 'Psd2Enabled'],
  [{ friendlyName: 'Acme', defaultTemplateSid: `HJ${'0'.repeat(32)}` }, 'DefaultTemplateSid'],
])('a service with %j is refused', async (params, parameter) => {
  expect(await refusalOf(client().verify.v2.services.create(params))).toMatchObject({
    status: 400,
    code: 60200,
    details: { reason: 'invalid_parameter', parameter },
  });
});

test('repeated starts belong to one verification, carry one code and have one price each', async () => {
  const sid = await made();
  const to = phone();
  const before = await alice.balance();
  const first = await at(sid).verifications.create({ to, channel: 'sms' });
  const second = await at(sid).verifications.create({ to, channel: 'call' });
  expect(second).toMatchObject({ sid: first.sid, channel: 'call', status: 'pending' });
  expect(second.sendCodeAttempts).toMatchObject([{ channel: 'SMS' }, { channel: 'CALL' }]);
  for (let n = 3; n <= 5; n++) await at(sid).verifications.create({ to, channel: 'sms' });
  expect(await refusalOf(at(sid).verifications.create({ to, channel: 'sms' }))).toMatchObject({
    status: 429,
    code: 60203,
    message: 'Max send attempts reached',
    details: { reason: 'recipient_rate_limited' },
  });
  expect(before - (await alice.balance())).toBe(5);
  const { texts } = await received(to);
  expect(texts).toHaveLength(5);
  expect(new Set(texts.map((one) => one.replaceAll(/\D/g, ''))).size).toBe(1);
});

test('two starts at once for one number join one verification', async () => {
  const sid = await made();
  const to = phone();
  const before = await alice.balance();
  const started = await Promise.all(
    Array.from({ length: 5 }, () => at(sid).verifications.create({ to, channel: 'sms' })),
  );
  expect(new Set(started.map((one) => one.sid)).size).toBe(1);
  expect(before - (await alice.balance())).toBe(5);
  expect((await at(sid).verifications(to).fetch()).sendCodeAttempts).toHaveLength(5);
});

test('services of one account have verifications of their own', async () => {
  const [one, other] = [await made(), await made()];
  const to = phone();
  const first = await at(one).verifications.create({ to, channel: 'sms' });
  const second = await at(other).verifications.create({ to, channel: 'sms' });
  expect(second.sid).not.toBe(first.sid);
  expect(await refusalOf(at(other).verifications(first.sid).fetch())).toMatchObject({ code: 20404 });
});

test('wrong codes leave a verification pending, and the sixth check is refused', async () => {
  const sid = await made();
  const to = phone();
  const { sid: verificationSid } = await at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await received(to);
  const check = (entered: string) =>
    at(sid).verificationChecks.create({ verificationSid, code: entered });
  expect(await check('12345')).toMatchObject({ status: 'pending', valid: false });
  for (let n = 1; n <= 5; n++)
    expect(await check(wrongCode(code, n))).toMatchObject({ status: 'pending', valid: false });
  expect(await refusalOf(check(code))).toMatchObject({
    status: 429,
    code: 60202,
    details: { reason: 'max_attempts_reached' },
  });
  expect(await at(sid).verifications(verificationSid).fetch()).toMatchObject({
    status: 'max_attempts_reached',
    valid: false,
  });
});

test('of two checks with the right code at once, one is approved', async () => {
  const sid = await made();
  const to = phone();
  await at(sid).verifications.create({ to, channel: 'sms' });
  await at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await received(to);
  const results = await Promise.all(
    Array.from({ length: 8 }, () =>
      at(sid)
        .verificationChecks.create({ to, code })
        .then(({ status }) => status)
        .catch((error: { code: number }) => error.code),
    ),
  );
  expect(results.toSorted()).toEqual([...Array.from({ length: 7 }, () => 20404), 'approved']);
});

test('a code expires ten minutes after the first message', async () => {
  const sid = await made();
  const to = phone();
  const first = await at(sid).verifications.create({ to, channel: 'sms' });
  await service.clock.advance(300_000);
  await at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await received(to);
  await service.clock.advance(301_000);
  expect(await refusalOf(at(sid).verificationChecks.create({ to, code }))).toMatchObject({
    code: 20404,
    details: { reason: 'expired' },
  });
  expect(await at(sid).verifications(to).fetch()).toMatchObject({ sid: first.sid, status: 'expired' });
  expect((await at(sid).verifications.create({ to, channel: 'sms' })).sid).not.toBe(first.sid);
});

test('a verification is canceled, by its number, and its code is worth nothing then', async () => {
  const sid = await made();
  const to = phone();
  await at(sid).verifications.create({ to, channel: 'sms' });
  await at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await received(to);
  expect(await at(sid).verifications(to).update({ status: 'canceled' })).toMatchObject({
    to,
    status: 'canceled',
    valid: false,
  });
  for (const call of [
    at(sid).verificationChecks.create({ to, code }),
    at(sid).verifications(to).update({ status: 'canceled' }),
    at(sid).verifications(to).update({ status: 'approved' }),
  ])
    expect(await refusalOf(call)).toMatchObject({ code: 20404, details: { reason: 'canceled' } });
});

test('a verification is approved without a code, and no code verifies it', async () => {
  const sid = await made();
  const to = phone();
  const { sid: verificationSid } = await at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await received(to);
  expect(await at(sid).verifications(verificationSid).update({ status: 'approved' })).toMatchObject({
    sid: verificationSid,
    status: 'approved',
    valid: true,
  });
  expect(await refusalOf(at(sid).verificationChecks.create({ to, code }))).toMatchObject({
    code: 20404,
    details: { reason: 'already_approved' },
  });
  const [attempt] = await client().verify.v2.verificationAttempts.list({ verificationSid });
  expect(attempt).toMatchObject({ conversionStatus: 'unconverted' });
});

test('a code by email has the name of the service as its sender', async () => {
  const sid = await made();
  const to = `person${++count}@customer.example`;
  const started = await at(sid).verifications.create({ to, channel: 'email', customFriendlyName: 'Other' });
  expect(started).toMatchObject({ to, channel: 'email', sendCodeAttempts: [{ channel: 'EMAIL' }] });
  await service.drain();
  const mail = String(service.smtp.messages.at(-1)?.raw ?? JSON.stringify(service.smtp.messages.at(-1)));
  expect(mail).toContain('Other');
  expect(await at(sid).verifications(to).fetch()).toMatchObject({ sid: started.sid });
});

test('the length of the code, the app hash and the warning are as the service and the request say', async () => {
  const { sid } = await client().verify.v2.services.create({
    friendlyName: 'Acme',
    codeLength: 10,
    doNotShareWarningEnabled: true,
  });
  const to = phone();
  await at(sid).verifications.create({ to, channel: 'sms', appHash: 'FA+9qCX9VSu', locale: 'de', tags: '{"a":"b"}' });
  const { texts, code } = await received(to);
  expect(code).toHaveLength(10);
  expect(texts).toEqual([
    `<#> Your Acme verification code is: ${code}. Don't share this code with anyone; our employees will never ask for the code FA+9qCX9VSu`,
  ]);
  expect(await at(sid).verificationChecks.create({ to, code })).toMatchObject({ status: 'approved' });
});

test.each([
  [{ channel: 'whatsapp' }, 'Channel'],
  [{ to: '4155550100' }, 'To'],
  [{ to: 'person@example.com' }, 'To'],
  [{ to: '+1415' }, 'To'],
  [{ customMessage: 'Hello' }, 'CustomMessage'],
  [{ sendDigits: '1' }, 'SendDigits'],
  [{ amount: '10', payee: 'Acme' }, 'Amount'],
  [{ templateSid: `HJ${'0'.repeat(32)}` }, 'TemplateSid'],
  [{ appHash: 'short' }, 'AppHash'],
  [{ deviceIp: 'nowhere' }, 'DeviceIp'],
  [{ locale: '?' }, 'Locale'],
  [{ tags: 'not JSON' }, 'Tags'],
  [{ tags: JSON.stringify(Object.fromEntries(Array.from({ length: 11 }, (_, n) => [n, 'x']))) }, 'Tags'],
  [{ rateLimits: { unknown: 'x' } }, 'RateLimits'],
])('a verification with %j is refused and leaves nothing', async (params, parameter) => {
  const sid = await made();
  const call = at(sid).verifications.create({ to: phone(), channel: 'sms', ...params });
  expect(await refusalOf(call)).toMatchObject({
    status: 400,
    code: 60200,
    details: { reason: 'invalid_parameter', parameter },
  });
  const rows = 'select count(*) as n from twilio_verifications where service_id = $1::uuid';
  expect(await service.app.db.one(rows, [sid.slice(2)])).toEqual({ n: 0 });
});

test('a refused send gives its place back', async () => {
  const broke = await sender(service, 'Broke', { credits: 0, keys: 1 });
  const poor = twilioClient(address.url, broke).verify.v2;
  const { sid } = await poor.services.create({ friendlyName: 'Acme' });
  const to = phone();
  expect(await refusalOf(poor.services(sid).verifications.create({ to, channel: 'sms' }))).toMatchObject({
    status: 403,
    code: 90402,
    message: 'Insufficient credits',
    details: { reason: 'insufficient_credits' },
  });
  expect(await refusalOf(poor.services(sid).verifications(to).fetch())).toMatchObject({ code: 20404 });
  const rows = 'select count(*) as n from twilio_attempts where account_id = $1';
  expect(await service.app.db.one(rows, [broke.account_id])).toEqual({ n: 0 });
});

test('a number outside the allowed countries has the code of blocked countries', async () => {
  const call = at(await made()).verifications.create({ to: '+447700900123', channel: 'sms' });
  expect(await refusalOf(call)).toMatchObject({ status: 403, code: 60605 });
});

test('a landline gets no SMS from a service that skips landlines', async () => {
  const { sid } = await client().verify.v2.services.create({ friendlyName: 'Acme', skipSmsToLandlines: true });
  const to = '+41446681800';
  expect(await refusalOf(at(sid).verifications.create({ to, channel: 'sms' }))).toMatchObject({
    status: 403,
    code: 60205,
  });
  expect(await at(sid).verifications.create({ to, channel: 'call' })).toMatchObject({ status: 'pending' });
});
