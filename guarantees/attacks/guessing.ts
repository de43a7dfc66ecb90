/** Attacks that guess a code or forge a delivery report. */

import { getOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import type { HttpCarrierMessage } from '../../server/test/fakes/http-carrier.ts';
import { post } from '../../server/test/fakes/http-listener.ts';
import { type Attack, many, statusesOf, until } from './attack.ts';
import type { Target, Tenant } from './target.ts';

async function sent(
  target: Target,
  { key }: Tenant,
  recipient = target.phone(),
): Promise<HttpCarrierMessage> {
  const { status, body } = await target.call(sendOtp, { apiKey: key, body: { channel: 'sms', recipient } });
  if (status !== 201) throw new Error(`The send got ${status}`);
  return until('the message', () => target.carrier.messages.find(({ id }) => id === body.otp_id));
}

const wrongCode = (code: string, n: number): string =>
  String((Number(code) + 1 + n) % 10 ** code.length).padStart(code.length, '0');

export const guessing: Attack[] = [
  {
    name: '121 wrong codes for one recipient over 11 sends, 11 in parallel',
    promise: 'at most 25 comparisons a day; the next send is refused',
    async run(target) {
      const tenant = await target.tenant();
      const recipient = target.phone();
      let compared = 0;
      const sends: number[] = [];
      for (let n = 0; n < 11; n += 1) {
        const { status, body } = await target.call(sendOtp, {
          apiKey: tenant.key,
          body: { channel: 'sms', recipient },
        });
        sends.push(status);
        if (status !== 201) continue;
        const { code, id } = await until('the code', () =>
          target.carrier.messages.find((message) => message.id === body.otp_id),
        );
        const answers = await many(11, 11, (guess) =>
          target.call(verifyOtp, { apiKey: tenant.key, body: { otp_id: id, code: wrongCode(code, guess) } }),
        );
        compared += answers.filter((answer) => answer.body.reason === 'invalid_code').length;
        // Sends the codes one second apart, to stay below the key's rate limit.
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
      return {
        measured: `${compared} comparisons; sends: ${statusesOf(sends)}`,
        holds: compared <= 25 && compared > 0 && sends.at(-1) === 429,
      };
    },
  },
  {
    name: "delivery reports with a wrong signature, without an otp_id, and replayed to another message's address",
    promise: 'none changes the verification; the valid one does',
    async run(target) {
      const tenant = await target.tenant();
      const [one, other] = [await sent(target, tenant), await sent(target, tenant)];
      const addressOf = (id: string) =>
        `${target.url}${API_BASE}/carriers/http/status/?otp=${id}&account=${tenant.account_id}`;
      const failed = { message_id: one.message_id, status: 'failed', reason: 'unsubscribed' };
      const report = (id: string, body: object, forged = false) =>
        post(target.carrier.callback(addressOf(id), body, { forged }));
      const refused = [
        await report(one.id, { ...failed, otp_id: one.id }, true),
        await report(one.id, failed),
        await report(one.id, { ...failed, otp_id: null }),
      ];
      // A signed report about the other message, sent to this message's URL.
      await report(one.id, { ...failed, message_id: other.message_id, otp_id: other.id });
      const state = async () =>
        (await target.call(getOtp, { apiKey: tenant.key, params: { otp_id: one.id } })).body;
      const { status, failure, delivered_at } = await state();
      const isUntouched = status !== 'failed' && failure === null && delivered_at === null;
      const right = await report(one.id, { message_id: one.message_id, otp_id: one.id, status: 'delivered' });
      const isDelivered = (await state()).delivered_at !== null;
      return {
        measured: `refused with ${refused.join(', ')}; ${isUntouched ? 'untouched' : `changed to ${status}`}; the valid one ${isDelivered ? 'counts' : 'does not count'} (${right})`,
        holds: refused.every((answer) => answer >= 400 && answer < 500) && isUntouched && isDelivered,
      };
    },
  },
];
