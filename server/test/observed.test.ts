import { sendOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { report } from '../src/otp/otp.ts';
import { fixture } from './fixture.ts';
import { testService } from './service.ts';

/** What metrics and the log show of single requests and messages. */
const service = fixture(testService);
const alice = fixture(() => service.customer('Alice'));
const send = (recipient: string) =>
  service.call(sendOtp, { apiKey: alice.api_key, body: { channel: 'sms', recipient } });

test('histograms measure a message from its acceptance until a carrier took it and until its delivery', async () => {
  const { body } = await send('+14155550150');
  await service.clock.advance(40_000);
  await service.deliver();
  await service.clock.advance(60_000);
  const delivery = { carrier: 'sandbox', account_id: alice.account_id, otp_id: body.otp_id };
  const reported = { ...delivery, state: 'delivered', provider_message_id: null, reason: null } as const;
  expect(await report(service.app, reported)).toBe(true);
  expect(await report(service.app, reported)).toBe(true);
  const { text } = await service.app.metrics.scrape(service.app.db);
  const count = (name: string, labels: string) =>
    new RegExp(`^sixdigit_${name}\\{${labels}\\} (\\d+)$`, 'm').exec(text)?.[1];
  expect(count('carrier_response_seconds_count', 'carrier="sandbox",channel="sms"')).toBe('1');
  for (const [name, below, above] of [
    ['message_taken_seconds', '30', '60'],
    ['message_delivered_seconds', '60', '300'],
  ] as const) {
    expect(count(`${name}_bucket`, `le="${below}",channel="sms"`)).toBe('0');
    expect(count(`${name}_bucket`, `le="${above}",channel="sms"`)).toBe('1');
  }
});

test('each refused request is one line in the log with its id, and an outage has one stack a minute', async () => {
  const lines = () =>
    service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request refused');
  const refused = await service.call(sendOtp, {
    apiKey: alice.api_key,
    body: { channel: 'sms', recipient: 'x' } as never,
  });
  expect(lines().at(-1)).toMatchObject({
    level: 'debug',
    request_id: refused.headers['x-request-id'],
    status: 400,
    reason: 'invalid_fields',
  });
  service.app.vault.writeUnder('0badc0de');
  const answers = [await send('+14155550151'), await send('+14155550151')];
  service.app.vault.writeUnder(service.app.vault.keyId);
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  expect(lines().slice(-2)).toMatchObject(
    answers.map(({ headers }) => ({
      level: 'warn',
      request_id: headers['x-request-id'],
      status: 503,
      path: '/api/v1/otp/send/',
    })),
  );
  expect(
    lines()
      .slice(-2)
      .filter(({ err }) => err?.stack),
  ).toHaveLength(1);
});
