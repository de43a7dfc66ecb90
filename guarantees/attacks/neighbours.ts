/** Attacks by one customer on other customers' latency and on the service's storage. */

import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { createWebhook, testWebhook } from '@sixdigit/contract/webhooks.ts';
import { openLoop, quantile, sender } from '../harness/load.ts';
import { type Attack, many, paced, statusesOf } from './attack.ts';
import type { TiltOrder } from './full-tilt.ts';
import type { Target, Tenant } from './target.ts';
import { startTilt } from './tilt.ts';

const SECONDS = Number(process.env.ATTACK_SECONDS ?? 20);
const WARM_SECONDS = 3;
const PER_SECOND = 25;
const UNKNOWN_ID = '0199e0a0-0000-7000-8000-000000000000';

/** Valid bodies by route. Other routes get an empty one. */
const BODIES: Record<string, object> = {
  sendOtp: { channel: 'sms', recipient: '+14155559999' },
  verifyOtp: { otp_id: UNKNOWN_ID, code: '000000' },
  changePassword: {
    current_password: 'wrong',
    password: 'another long one',
    confirm_password: 'another long one',
  },
  deleteMe: { password: 'wrong' },
  previewBranding: { sender_name: 'Shop' },
  calculatePrice: { credits: 1_000 },
  createApiKey: { name: 'one more' },
  createWebhook: { name: 'one more', url: 'https://hook.invalid/' },
  updateProfile: { first_name: 'Mallory' },
};

/** These calls would end the attacker's session and the attack. */
const ENDING: ReadonlySet<string> = new Set(['signOut', 'endAllSessions']);

/** Every route that an account may call, once per key. */
const callsOf = ({ bearer, keys }: Tenant): TiltOrder['calls'] =>
  keys.flatMap((key, n) =>
    routes
      .filter(({ name, auth }) => auth !== 'none' && !ENDING.has(name))
      .map(({ name, method, path, auth }) => {
        const given = method === 'GET' || method === 'DELETE' ? BODIES[name] : (BODIES[name] ?? {});
        const search = method === 'GET' && path.endsWith('s/') ? `?search=${n}&page_size=100` : '';
        return {
          method,
          path: API_BASE + path.replace(/:\w+/g, UNKNOWN_ID) + search,
          headers: {
            'x-forwarded-for': '198.51.100.77',
            ...(auth === 'api_key' ? { 'x-api-key': key } : { authorization: `Bearer ${bearer}` }),
            ...(given ? { 'content-type': 'application/json' } : {}),
          },
          body: given ? JSON.stringify(given) : null,
        };
      }),
  );

/** One customer at full load, until `stop`. */
const startCustomer = ({ url }: Target, tenant: Tenant) =>
  startTilt({ url, calls: callsOf(tenant), connections: 32 });

/** Durations of one customer's sends in milliseconds, and the number of sends that were not accepted. */
async function sends({ port }: Target, victim: Tenant, seconds: number) {
  let refused = 0;
  const keys = victim.keys.map((key) => ({ ...victim, key }));
  const options = { perSecond: PER_SECOND, seconds, connections: 16 };
  const waits = await openLoop(port, options, sender(keys), ({ status }) => {
    if (status !== 201) refused += 1;
  });
  return { waits, refused };
}

export const neighbours: Attack[] = [
  {
    name: `one tenant at full load on every route for ${SECONDS} s, with 20 keys and 32 connections`,
    promise: "p99 of another tenant's sends at most 2 × the value without the attack",
    async run(target) {
      const [victim, mallory] = [await target.tenant(8), await target.tenant(20)];
      // In each process, the first call of a route compiles code and plans statements.
      const warming = await startCustomer(target, mallory);
      await sends(target, victim, WARM_SECONDS);
      await warming.stop();
      const before = await sends(target, victim, SECONDS / 2);
      const tilt = await startCustomer(target, mallory);
      const attacked = await sends(target, victim, SECONDS);
      const report = await tilt.stop();
      const after = await sends(target, victim, SECONDS / 2);
      const alone = [...before.waits, ...after.waits];
      const [usual, slowed] = [alone, attacked.waits].map((waits) => quantile(waits, 0.99)) as [
        number,
        number,
      ];
      const [p50, slowedP50] = [alone, attacked.waits].map((waits) => quantile(waits, 0.5)) as [
        number,
        number,
      ];
      const refused = before.refused + attacked.refused + after.refused;
      const failed = Object.entries(report.statuses).filter(([status]) => status === '500' || status === '0');
      return {
        measured: `${(slowed / usual).toFixed(1)} × (${usual.toFixed(0)} → ${slowed.toFixed(0)} ms; p50 ${p50.toFixed(0)} → ${slowedP50.toFixed(0)} ms; ${refused} refused); the attacker: ${report.requests} requests, ${JSON.stringify(report.statuses)}, slowest ${report.slowest.map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`).join(', ')}`,
        holds: slowed <= 2 * usual && refused === 0 && failed.length === 0,
      };
    },
  },
  {
    name: '40 keys write free log rows for 5 s with refused verifies and refused sends to new recipients',
    promise: 'at most thirty rows a second, and one for each key, reason and second',
    async run(target) {
      const { keys, account_id } = await target.tenant(40);
      const beganMs = performance.now();
      let refused = 0;
      await many(40, 40, async (n) => {
        for (let turn = 0; performance.now() - beganMs < 5_000 && turn < 2_000; turn += 1) {
          const apiKey = keys[n] ?? '';
          const answer =
            turn % 2 === 0
              ? target.call(sendOtp, { apiKey, body: { channel: 'sms', recipient: `nobody ${n} ${turn}` } })
              : target.call(verifyOtp, { apiKey, body: { otp_id: UNKNOWN_ID, code: '000000' } });
          if ((await answer).status >= 400) refused += 1;
        }
      });
      const seconds = Math.ceil((performance.now() - beganMs) / 1_000) + 1;
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      const { rows } = await target.db.one<{ rows: number }>(
        'select count(*) as rows from request_logs where account_id = $1',
        [account_id],
      );
      // Refused sends and verifies, and those above the key's rate limit.
      const most = (30 + 40 * 4) * seconds;
      return {
        measured: `${rows} rows for ${refused} refusals in ${seconds} s`,
        holds: rows <= most && rows > 0 && refused > rows,
      };
    },
  },
  {
    name: 'the 101st API key of an account',
    promise: 'refused; 100 live keys',
    async run(target) {
      const { bearer, account_id } = await target.tenant();
      const answers = await many(105, 4, (n) =>
        paced(() => target.call(createApiKey, { bearer, body: { name: `Key ${n}` } })),
      );
      const { live } = await target.db.one<{ live: number }>(
        'select count(*) as live from api_keys where account_id = $1',
        [account_id],
      );
      return {
        measured: `${live} live keys; ${statusesOf(answers.map(({ status }) => status))}`,
        holds: live === 100 && answers.filter(({ status }) => status === 201).length === 99,
      };
    },
  },
  {
    name: '40 webhook tests in a loop',
    promise: 'at most 10 a minute',
    async run(target) {
      const { bearer } = await target.tenant();
      const { body } = await target.call(createWebhook, {
        bearer,
        body: { name: 'Loop', url: 'https://hook.invalid/' },
      });
      const statuses: number[] = [];
      for (let n = 0; n < 40; n += 1)
        statuses.push((await target.call(testWebhook, { bearer, params: { id: String(body.id) } })).status);
      const tested = statuses.filter((status) => status === 200).length;
      return { measured: statusesOf(statuses), holds: tested <= 10 && tested > 0 };
    },
  },
];
