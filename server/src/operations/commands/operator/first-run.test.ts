import { resetPasswordByLink } from '@sixdigit/contract/accounts/passwords.ts';
import { signIn, signUp } from '@sixdigit/contract/accounts/sign-in.ts';
import { createCarrierSetup } from '@sixdigit/contract/operator/carrier-setups.ts';
import { getOperator } from '@sixdigit/contract/operator/operator.ts';
import { sendOtp } from '@sixdigit/contract/otp.ts';
import { expect, test } from 'vitest';
import { startHttpCarrier } from '../../../../test/fakes/http-carrier.ts';
import { fixture } from '../../../../test/fixture.ts';
import { testService } from '../../../../test/service.ts';
import { canDeliverCodes } from '../../../accounts/accounts.ts';
import type { Carriers } from '../../../messaging/carriers/carriers.ts';
import { carrierFindings } from '../doctor/carriers.ts';
import { operatorCommand } from './operator.ts';

/** The first run in production, without a carrier: its operator sets one up in the console. */
const gateway = fixture(startHttpCarrier);
const service = fixture(() => testService({ env: { SANDBOX: '0', WEBHOOK_ALLOW_PRIVATE: '1' } }));
const EMAIL = 'root@sixdigit.test';
const PASSWORD = 'a long walk along the harbour';

const run = async (...words: string[]) => {
  const lines: string[] = [];
  const code = await operatorCommand(service.app, words, (line) => lines.push(line));
  return { code, text: lines.join('\n') };
};
const tokenIn = (text: string) => /\/reset-password#(\S+)/.exec(text)?.[1] ?? '';
const findings = async () => carrierFindings(service.app.db, service.app);

test('without a carrier, a sign-up is refused, and the doctor reports the remedy', async () => {
  const body = {
    email: 'stranger@example.com',
    phone_number: '+14155550100',
    password: PASSWORD,
    confirm_password: PASSWORD,
  };
  expect(await service.call(signUp, { body })).toMatchObject({
    status: 400,
    body: { email: [expect.stringContaining('cannot send codes yet')] },
  });
  expect(await findings()).toEqual([
    expect.objectContaining({ level: 'problem', advice: expect.stringContaining('operator add') }),
  ]);
});

test('the first operator gets a link on the command line, sets up a carrier in the console, and codes arrive', async () => {
  const first = await run('add', EMAIL);
  expect(first).toMatchObject({ code: 0, text: expect.stringContaining('Open this link within 30 minutes') });
  // A new link for an operator who missed the first one.
  const again = await run('add', EMAIL);
  expect(tokenIn(again.text)).not.toBe(tokenIn(first.text));
  const reset = { token: tokenIn(again.text), password: PASSWORD, confirm_password: PASSWORD };
  expect((await service.call(resetPasswordByLink, { body: reset })).status).toBe(204);
  expect((await run('add', EMAIL)).text).not.toContain('link');

  const signed = await service.call(signIn, { body: { email: EMAIL, password: PASSWORD } });
  const bearer = signed.body.access ?? '';
  expect((await service.call(getOperator, { bearer })).body).toMatchObject({
    reason: 'operator_two_factor_required',
  });
  await service.app.db.run('update people set two_factor_enabled = true where email = $1', [EMAIL]);
  const added = await service.call(createCarrierSetup, {
    bearer,
    body: {
      name: 'gateway',
      kind: 'http',
      channels: ['sms', 'email'],
      url: gateway.url,
      secret: gateway.secret,
      reason: 'First carrier',
    },
  });
  expect(added.status).toBe(201);
  expect(await findings()).toEqual([expect.objectContaining({ level: 'ok' })]);

  const alice = await service.customer('Alice');
  const recipient = '+14155550101';
  expect(
    (await service.call(sendOtp, { apiKey: alice.api_key, body: { channel: 'sms', recipient } })).status,
  ).toBe(201);
  await service.drain();
  expect(gateway.messagesTo(recipient)).toHaveLength(1);
});

test.each(['email', 'sms'])('codes can be delivered by %s alone', (channel) => {
  expect(canDeliverCodes({ carriers: { has: (one: string) => one === channel } as Carriers })).toBe(true);
});

test('once codes can be delivered, the command adds only people who have signed up', async () => {
  expect(await run('add', 'another@sixdigit.test')).toMatchObject({
    code: 1,
    text: expect.stringContaining('sign up first'),
  });
});
