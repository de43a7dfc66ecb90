import { expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import type { TestService } from '../../../test/service.ts';
import { refusalOf } from '../../../test/twilio-client.ts';
import { twilioStage } from '../../../test/twilio-stage.ts';
import { report } from '../../otp/reports/reports.ts';

const stage = fixture(twilioStage);
const attempts = () => stage.client().verify.v2.verificationAttempts;
const idOf = (sid = '') => sid.slice(2).replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
const delivered = ({ app }: TestService, send: { account_id: string; otp_id: string }) =>
  report(app, { ...send, carrier: 'http', state: 'delivered', provider_message_id: null, reason: null });

test('attempts are listed page by page, filtered, fetched and summed', async () => {
  const sid = await stage.made();
  const [right, open] = [stage.phone(), stage.phone()];
  const first = await stage.at(sid).verifications.create({ to: right, channel: 'sms' });
  const { code } = await stage.received(right);
  const [sent] = await attempts().list({ verifyServiceSid: sid });
  expect(sent).toMatchObject({ channelData: { message_status: 'sent' } });
  await stage.service.clock.advance(20_000);
  await delivered(stage.service, { account_id: stage.alice.account_id, otp_id: idOf(sent?.sid) });
  await stage.at(sid).verificationChecks.create({ to: right, code });
  await stage.at(sid).verifications.create({ to: open, channel: 'sms' });
  await stage.at(sid).verifications.create({ to: open, channel: 'call' });
  await stage.at(await stage.made()).verifications.create({ to: open, channel: 'sms' });

  const mine = { verifyServiceSid: sid };
  const all = await attempts().list({ ...mine, pageSize: 1 });
  expect(all.map(({ channel }) => channel)).toEqual(['call', 'sms', 'sms']);
  expect(all.map(({ conversionStatus }) => conversionStatus)).toEqual([
    'unconverted',
    'unconverted',
    'converted',
  ]);
  const [newest] = all;
  expect(await attempts()(newest?.sid ?? '').fetch()).toMatchObject({
    sid: newest?.sid,
    serviceSid: sid,
    channelData: { to: open, country: 'US' },
  });
  expect(await attempts().list({ ...mine, channel: 'call' })).toHaveLength(1);
  expect(await attempts().list({ ...mine, status: 'converted' })).toMatchObject([
    { verificationSid: first.sid, channelData: { to: right, status: 'converted' } },
  ]);
  expect(await attempts().list({ ...mine, 'channelData.to': open })).toHaveLength(2);
  const oldest = all.at(-1);
  expect(oldest).toMatchObject({ channelData: { message_status: 'delivered' } });
  expect(Number(oldest?.dateUpdated) - Number(oldest?.dateCreated)).toBeGreaterThanOrEqual(20_000);
  const verification = await stage.at(sid).verifications(first.sid).fetch();
  expect(verification.dateUpdated).toEqual(oldest?.dateUpdated);
  expect(await attempts().list({ ...mine, country: 'US' })).toHaveLength(3);
  expect(await attempts().list({ ...mine, country: 'CA' })).toEqual([]);
  const later = new Date(stage.service.app.clock.now().getTime() + 60_000);
  expect(await attempts().list({ ...mine, dateCreatedAfter: later })).toEqual([]);
  expect(await attempts().list({ ...mine, dateCreatedBefore: new Date('2001-01-01') })).toEqual([]);

  const summary = () => stage.client().verify.v2.verificationAttemptsSummary();
  expect(await summary().fetch(mine)).toMatchObject({
    totalAttempts: 3,
    totalConverted: 1,
    totalUnconverted: 2,
    conversionRatePercentage: '33.333333333',
  });
  expect(await summary().fetch({ ...mine, destinationPrefix: '+1415' })).toMatchObject({ totalAttempts: 3 });
  expect(await summary().fetch({ ...mine, destinationPrefix: '+41' })).toMatchObject({
    totalAttempts: 0,
    conversionRatePercentage: '0',
  });
});

test('an attempt that does not exist, and filters that are not valid, are refused', async () => {
  expect(await refusalOf(attempts()(`VL${'0'.repeat(32)}`).fetch())).toMatchObject({ code: 20404 });
  expect(await refusalOf(attempts().list({ verifyServiceSid: 'VA1' }))).toMatchObject({
    code: 60200,
    details: { parameter: 'VerifyServiceSid' },
  });
  expect(await refusalOf(attempts().list({ country: 'USA' }))).toMatchObject({ code: 60200 });
});

test('a time that PostgreSQL cannot read gets an answer for the caller', async () => {
  const query = { DateCreatedAfter: '', DateCreatedBefore: '' };
  const times = {
    '0000-01-01T00:00:00Z': 400,
    '0001-01-01T00:00:00Z': 400,
    '1969-12-31T23:59:59Z': 400,
    '1970-01-01T00:00:00Z': 400,
    '1971-01-02T00:00:00Z': 200,
    '2026-02-30T00:00:00Z': 400,
    '9999-12-31T23:59:59-23:59': 400,
    '2026-01-01T00:00:00+23:59': 200,
    [`2026-01-01T00:00:00.${'1'.repeat(300)}Z`]: 200,
    '9998-12-30T23:59:59.999Z': 200,
  };
  const { account_id } = stage.alice;
  for (const [time, status] of Object.entries(times))
    for (const name of Object.keys(query))
      for (const path of ['Attempts', 'Attempts/Summary']) {
        const answer = await stage.service.inject({
          method: 'GET',
          url: `/compat/twilio/v2/${path}?${new URLSearchParams({ [name]: time })}`,
          headers: {
            authorization: `Basic ${Buffer.from(`AC${account_id.replaceAll('-', '')}:${stage.alice.key()}`).toString('base64')}`,
          },
        });
        expect([name, time.slice(0, 30), answer.statusCode]).toEqual([name, time.slice(0, 30), status]);
      }
});

test('the sends are verifications of the account, with log entries', async () => {
  const sid = await stage.made();
  const to = stage.phone();
  const { sendCodeAttempts } = await stage.at(sid).verifications.create({ to, channel: 'sms' });
  const { code } = await stage.received(to);
  await stage.at(sid).verificationChecks.create({ to, code });
  const [{ attempt_sid = '' } = {}] = sendCodeAttempts as { attempt_sid: string }[];
  const otp_id = idOf(attempt_sid);
  expect(await stage.alice.state(otp_id)).toMatchObject({
    status: 'verified',
    recipient: to,
    cost_credits: 1,
  });
  const { app } = stage.service;
  await app.requestLog.flush();
  expect(
    await app.db.rows(
      `select request_type, recipient from request_logs where account_id = $1 and otp_id = $2 order by id`,
      [stage.alice.account_id, otp_id],
    ),
  ).toEqual([
    { request_type: 'send_otp', recipient: to },
    { request_type: 'verify_otp', recipient: to },
  ]);
});
