/** Attacks with codes that the sender made. */

import { createConnection } from '@sixdigit/contract/connections.ts';
import { getInsights } from '@sixdigit/contract/insights.ts';
import { getOtp, reportOutcome, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { API_SCOPES } from '@sixdigit/contract/route.ts';
import { type Attack, many, statusesOf, until } from './attack.ts';
import type { Target, Tenant } from './target.ts';

async function ownerOf(target: Target, keysEach = 1): Promise<Tenant> {
  const tenant = await target.tenant(keysEach);
  await target.db.run('update api_keys set scopes = $2 where account_id = $1', [
    tenant.account_id,
    [...API_SCOPES],
  ]);
  return tenant;
}

const messageOf = (target: Target, otp_id: unknown) =>
  until('the message', () => target.carrier.messages.find(({ id }) => id === otp_id));

export const ownCodes: Attack[] = [
  {
    name: 'own codes of letters that complete a domain in the text of a message',
    promise: 'each is refused, with every text that could hold the code',
    async run(target) {
      const { key: apiKey, bearer } = await ownerOf(target);
      const tries: [string, string][] = [
        ['Sign in at bank-login.{code}/x', 'INFO'],
        ['Sign in at bank-login.{code}/x', 'SHOP'],
        ['Sign in at bank-login.on{code}', 'LINE'],
        ['bank-login\u3002{code}', 'LIVE'],
        ['bank-login.\u200B{code}', 'WORK'],
        ['{code}://2130706433/x', 'HTTP'],
      ];
      const sent = [];
      for (const [message, code] of tries)
        sent.push(
          await target.call(sendOtp, {
            apiKey,
            body: { channel: 'sms', recipient: target.phone(), message, code },
          }),
        );
      const made = await target.call(createConnection, {
        bearer,
        body: { system: 'logto', name: 'Sign-in', message: 'Sign in at bank-login.{code}/x' },
      });
      const statuses = [...sent, made].map(({ status }) => status);
      return { measured: statusesOf(statuses), holds: statuses.every((status) => status === 400) };
    },
  },
  {
    name: 'one message with a long run of invisible characters beside a full stop',
    promise: 'it is decided at once: no send after it waits a second',
    async run(target) {
      const { key: apiKey } = await ownerOf(target);
      const from = performance.now();
      const answers = await many(5, 5, (n) =>
        target.call(sendOtp, {
          apiKey,
          body: {
            channel: 'sms',
            recipient: target.phone(),
            message: n === 0 ? `{code} a.b ${'\u00AD\u034F'.repeat(200)}x` : 'Acme: {code}',
          },
        }),
      );
      const ms = performance.now() - from;
      return {
        measured: `${statusesOf(answers.map(({ status }) => status))} in ${ms.toFixed(0)} ms`,
        holds: ms < 1_000 && answers.slice(1).every(({ status }) => status === 201),
      };
    },
  },
  {
    name: 'own codes used to imitate codes of Sixdigit: verified by their own id, by the id of a real one, and reported',
    promise: 'none verifies; the real code still does; the conversion counts only the real one',
    async run(target) {
      const tenant = await ownerOf(target);
      const { key: apiKey, bearer } = tenant;
      const recipient = target.phone();
      const body = { channel: 'sms' as const, recipient };
      const own = await target.call(sendOtp, { apiKey, body: { ...body, code: '135790' } });
      const real = await target.call(sendOtp, { apiKey, body });
      const own_id = String(own.body.otp_id);
      const { code, id: real_id } = await messageOf(target, real.body.otp_id);
      const tries = [
        await target.call(verifyOtp, { apiKey, body: { otp_id: own_id, code: '135790' } }),
        await target.call(verifyOtp, { apiKey, body: { otp_id: own_id, code } }),
        await target.call(verifyOtp, { apiKey, body: { otp_id: real_id, code: '135790' } }),
        await target.call(reportOutcome, {
          apiKey,
          params: { otp_id: real_id },
          body: { verified: true },
        }),
      ];
      await target.call(reportOutcome, {
        apiKey,
        params: { otp_id: own_id },
        body: { verified: true },
      });
      const state = await target.call(getOtp, { apiKey, params: { otp_id: own_id } });
      const right = await target.call(verifyOtp, { apiKey, body: { otp_id: real_id, code } });
      const counts = await untilCounted(target, bearer);
      return {
        measured: `refused with ${tries.map(({ body: { reason } }) => reason).join(', ')}; own code is ${state.body.status}; real code ${right.status}; ${counts.verified} verified of ${counts.sent}, ${counts.own_codes} own`,
        holds:
          tries.every(({ status }) => status === 400) &&
          state.body.status !== 'verified' &&
          right.status === 200 &&
          counts.sent === 1 &&
          counts.verified === 1 &&
          counts.own_codes === 1,
      };
    },
  },
  {
    name: '60 parallel sends of one own code over 4 keys and two processes, then without the scope',
    promise: 'one message and one credit for each key; without the scope none',
    async run(target) {
      const tenant = await ownerOf(target, 4);
      const before = await creditsOf(target, tenant);
      const recipient = target.phone();
      const send = (apiKey: string) =>
        target.call(sendOtp, { apiKey, body: { channel: 'sms', recipient, code: 'REPEAT1' } });
      const answers = await many(60, 60, (n) => send(tenant.keys[n % 4] ?? ''));
      const ids = new Set(answers.map(({ body }) => body.otp_id));
      for (const id of ids) await messageOf(target, id);
      const spent = before - (await creditsOf(target, tenant));
      const sent = target.carrier.messages.filter((message) => message.recipient === recipient).length;
      await target.db.run('update api_keys set scopes = $2 where account_id = $1', [
        tenant.account_id,
        ['otp:send'],
      ]);
      const without = await send(tenant.key);
      return {
        measured: `${statusesOf(answers.map(({ status }) => status))}; ${ids.size} ids, ${sent} messages, ${spent} credits; without the scope ${without.status}`,
        holds: ids.size === 4 && sent === 4 && spent === 4 && without.status === 401,
      };
    },
  },
];

const creditsOf = async (target: Target, { account_id }: Tenant): Promise<number> =>
  (
    await target.db.one<{ credits: number }>('select credits from balances where account_id = $1', [
      account_id,
    ])
  ).credits;

interface Counted {
  sent: number;
  verified: number;
  own_codes: number;
}

async function untilCounted(target: Target, bearer: string): Promise<Counted> {
  for (const end = performance.now() + 30_000; ; ) {
    const { body } = await target.call(getInsights, { bearer, query: { range: '24h' } });
    const totals = body.totals as Counted;
    if (totals.verified > 0 || performance.now() > end) return totals;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
