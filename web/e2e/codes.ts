import type { Channel } from '@sixdigit/contract/channels.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { expect } from 'vitest';
import { wrongCode } from '../../server/test/person.ts';
import { eventually, type Stage } from './browser.ts';

/** Sends and verifies codes through the API while the dashboard is open. */

export async function sendCode(
  { service }: Stage,
  apiKey: string,
  recipient: string,
  channel: Channel = 'sms',
): Promise<string> {
  const { status, body } = await service.call(sendOtp, { apiKey, body: { channel, recipient } });
  expect(status).toBe(201);
  return body.otp_id;
}

/** Verifies with the recipient's newest code, or with a wrong one. */
export async function verifyCode(
  { service }: Stage,
  apiKey: string,
  otp_id: string,
  recipient: string,
  wrong = false,
) {
  const right = await eventually(async () => {
    const code = (await service.inbox(recipient))[0]?.code;
    expect(code).toBeTruthy();
    return code ?? '';
  });
  const code = wrong ? wrongCode(right) : right;
  return service.call(verifyOtp, { apiKey, body: { otp_id, code } });
}
