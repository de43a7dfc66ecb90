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

/** Verifies with the code of this verification's message, or with a wrong one. */
export async function verifyCode({ service }: Stage, apiKey: string, otp_id: string, wrong = false) {
  // The recipient's newest message may be an older one, such as that of a sign-up.
  const { code: right } = await eventually(() =>
    service.app.db.one<{ code: string }>('select code from sandbox_messages where id = $1', [otp_id]),
  );
  const code = wrong ? wrongCode(right) : right;
  return service.call(verifyOtp, { apiKey, body: { otp_id, code } });
}
