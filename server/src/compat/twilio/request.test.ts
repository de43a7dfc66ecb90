import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { refusalOf } from '../../../test/twilio-client.ts';
import { twilioStage } from '../../../test/twilio-stage.ts';

const stage = fixture(twilioStage);

test('a code by email names the service, or the name in the request', async () => {
  const sid = await stage.made();
  const to = 'person@customer.example';
  const started = await stage
    .at(sid)
    .verifications.create({ to, channel: 'email', customFriendlyName: 'Other' });
  expect(started).toMatchObject({ to, channel: 'email', sendCodeAttempts: [{ channel: 'EMAIL' }] });
  await stage.service.drain();
  const mail = stage.service.smtp.mails.find(({ envelope }) => envelope.to.includes(to));
  expect(mail?.text).toContain(`Your Other verification code is: ${mail?.code}`);
  expect(await stage.at(sid).verifications(to).fetch()).toMatchObject({ sid: started.sid });
});

test('the length of the code, the app hash and the warning are as the service and the request say', async () => {
  const { sid } = await stage.client().verify.v2.services.create({
    friendlyName: 'Acme',
    codeLength: 10,
    doNotShareWarningEnabled: true,
  });
  const to = stage.phone();
  await stage.at(sid).verifications.create({
    ...{ to, channel: 'sms', appHash: 'FA+9qCX9VSu', locale: 'en-GB', tags: '{"a":"b"}' },
    deviceIp: '203.0.113.7',
  });
  const { texts, code } = await stage.received(to);
  const client = 'select host(client_ip) as ip from verifications where recipient = $1';
  expect(await stage.service.app.db.one(client, [to])).toEqual({ ip: '203.0.113.7' });
  expect(code).toHaveLength(10);
  expect(texts).toEqual([
    `Your Acme verification code is: ${code}. Don't share this code with anyone; our employees will never ask for the code\n\nFA+9qCX9VSu`,
  ]);
  expect(await stage.at(sid).verificationChecks.create({ to, code })).toMatchObject({ status: 'approved' });
});

test('the text has the language of the request, or English if there are no texts in it', async () => {
  const textIn = async (locale: string): Promise<string> => {
    const to = stage.phone();
    await stage.at(await stage.made()).verifications.create({ to, channel: 'sms', locale });
    const { texts, code } = await stage.received(to);
    return texts.join().replace(code, '…');
  };
  expect(await textIn('de')).toBe('Ihr Bestätigungscode für Acme lautet: …');
  expect(await textIn('zh-TW')).toBe('您的Acme驗證碼是：…');
  expect(await textIn('is')).toBe('Your Acme verification code is: …');
});

test('a call speaks the language of the request, or English', async () => {
  const spoken = async (locale: object): Promise<string> => {
    const to = stage.phone();
    await stage.at(await stage.made()).verifications.create({ to, channel: 'call', ...locale });
    return (await stage.received(to)).texts.join();
  };
  expect(await spoken({ locale: 'de' })).toContain('Guten Tag');
  expect(await spoken({})).toContain('Hello');
});

test('an email in another language has the subject in that language', async () => {
  const to = 'personne@customer.example';
  await stage.at(await stage.made()).verifications.create({ to, channel: 'email', locale: 'fr' });
  await stage.service.drain();
  const [mail] = stage.service.smtp.mailsTo(to);
  expect(mail?.subject).toBe('Votre code de vérification');
  expect(mail?.text).toMatch(/^Votre code de vérification Acme est : \d{6}/);
});

test.each([
  [{ channel: 'sna' }, 'Channel'],
  [{ to: '4155550100' }, 'To'],
  [{ to: 'person@example.com' }, 'To'],
  [{ to: '+1415' }, 'To'],
  [{ customMessage: 'Hello' }, 'CustomMessage'],
  [{ sendDigits: '1' }, 'SendDigits'],
  [{ amount: '10', payee: 'Acme' }, 'Amount'],
  [{ templateSid: `HJ${'0'.repeat(32)}` }, 'TemplateSid'],
  [{ appHash: 'short' }, 'AppHash'],
  [{ deviceIp: 'nowhere' }, 'DeviceIp'],
  [{ tags: 'not JSON' }, 'Tags'],
  [{ tags: JSON.stringify(Object.fromEntries(Array.from({ length: 11 }, (_, n) => [n, 'x']))) }, 'Tags'],
  [{ rateLimits: { unknown: 'x' } }, 'RateLimits'],
])('a verification with %j is refused and leaves nothing', async (params, parameter) => {
  const sid = await stage.made();
  const call = stage.at(sid).verifications.create({ to: stage.phone(), channel: 'sms', ...params });
  expect(await refusalOf(call)).toMatchObject({
    status: 400,
    code: 60200,
    details: { reason: 'invalid_parameter', parameter },
  });
  const rows = 'select count(*) as n from twilio_verifications where service_id = $1::uuid';
  expect(await stage.service.app.db.one(rows, [sid.slice(2)])).toEqual({ n: 0 });
});

test('a number outside the allowed countries has the code of blocked countries', async () => {
  const call = stage.at(await stage.made()).verifications.create({ to: '+447911123456', channel: 'sms' });
  expect(await refusalOf(call)).toMatchObject({ status: 403, code: 60605 });
});

test('a landline gets no SMS from a service that skips landlines', async () => {
  const { sid } = await stage
    .client()
    .verify.v2.services.create({ friendlyName: 'Acme', skipSmsToLandlines: true });
  const to = '+41446681800';
  expect(await refusalOf(stage.at(sid).verifications.create({ to, channel: 'sms' }))).toMatchObject({
    status: 403,
    code: 60205,
  });
  expect(await stage.at(sid).verifications.create({ to, channel: 'call' })).toMatchObject({
    status: 'pending',
  });
});
