import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import type { Channel } from '@sixdigit/contract/channels.ts';
import { getOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { beforeAll, expect, test } from 'vitest';
import { fixture } from '../../../test/fixture.ts';
import { sender } from '../../../test/sender.ts';
import { testService } from '../../../test/service.ts';
import { signedIn } from '../../../test/signed-in.ts';
import { read } from '../../../test/source.ts';

/** What each test number does in a plan. */
const service = fixture(testService);
let apiKey = '';
beforeAll(async () => {
  const bearer = await signedIn(service, await sender(service, 'Alice'));
  const { body } = await service.call(createApiKey, { bearer, body: { name: 'Test', mode: 'test' } });
  apiKey = body.key;
});

const after = async (seconds: number) => {
  await service.clock.advance(seconds * 1_000);
  // Simulated reports do not make the jobs run again, so a second round starts the step that follows a failure.
  await service.drain();
  await service.drain();
};
const begun = async (recipient: string, channels: Channel[], wait_seconds: number) => {
  const body = { recipient, channels, wait_seconds };
  const { otp_id } = (await service.call(sendOtp, { apiKey, body })).body;
  await service.drain();
  return otp_id;
};
const state = async (otp_id: string) => (await service.call(getOtp, { apiKey, params: { otp_id } })).body;
const statuses = async (otp_id: string) => (await state(otp_id)).steps?.map(({ status }) => status);
const PHONE: Channel[] = ['sms', 'voice', 'whatsapp'];
const CHATS_FIRST: Channel[] = ['whatsapp', 'telegram', 'sms'];

/** The statuses of the steps, after each of these seconds. Where the next change is a second away, they are not read. */
type Played = [seconds: number, statuses?: string[]];
const PLAYS: { number: string; channels?: Channel[]; wait?: number; played: Played[]; ends?: 'failed' }[] = [
  {
    number: '+15005550001',
    played: [
      [2, ['delivered', 'waiting', 'waiting']],
      [200, ['delivered', 'waiting', 'waiting']],
    ],
  },
  {
    number: '+15005550002',
    played: [[2], [2], [2, ['failed', 'failed', 'delivered']]],
  },
  { number: '+15005550003', played: [[0, ['failed', 'failed', 'failed']]], ends: 'failed' },
  {
    number: '+15005550004',
    played: [
      [0, ['pending', 'waiting', 'waiting']],
      [61, ['pending', 'pending', 'waiting']],
      [61, ['pending', 'pending', 'pending']],
    ],
  },
  {
    number: '+15005550005',
    wait: 20,
    played: [
      [21, ['sent', 'sent', 'waiting']],
      [10, ['delivered', 'sent', 'waiting']],
      [60, ['delivered', 'delivered', 'waiting']],
    ],
  },
  {
    number: '+15005550011',
    channels: CHATS_FIRST,
    played: [[2, ['skipped', 'skipped', 'delivered']]],
  },
  {
    number: '+15005550012',
    played: [
      [61, ['sent', 'sent', 'waiting']],
      [30, ['failed', 'sent', 'waiting']],
      [31],
      [2, ['failed', 'sent', 'delivered']],
    ],
  },
];

test.each(PLAYS)('in test mode, $number plays its plan', async ({ number, channels, wait, played, ends }) => {
  const otp_id = await begun(number, channels ?? PHONE, wait ?? 60);
  for (const [seconds, expected] of played) {
    if (seconds > 0) await after(seconds);
    if (expected) expect(await statuses(otp_id)).toEqual(expected);
  }
  if (ends) return expect(await state(otp_id)).toMatchObject({ status: ends });
  const right = { otp_id, code: '123456' };
  expect((await service.call(verifyOtp, { apiKey, body: right })).status).toBe(200);
});

test('docs/plans.md lists the numbers that are played here', () => {
  const rows = [...read('docs/plans.md').matchAll(/^\| `(\+1500555\d{4})` \|/gm)];
  expect(rows.map(([, number]) => number)).toEqual(PLAYS.map(({ number }) => number));
});
