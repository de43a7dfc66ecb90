import { type Attack, many, statusesOf, until } from './attack.ts';
import type { Target, Tenant } from './target.ts';

const NOBODY = '00000000000000000000000000000000';

interface TwilioAnswer {
  status: number;
  body: { sid?: string; status?: string; code?: number };
}

/** Calls Twilio Verify as its client does. */
async function ask(
  { url }: Target,
  [account_id, key]: readonly [account_id: string, key: string],
  path: string,
  form?: Record<string, string>,
): Promise<TwilioAnswer> {
  const user = `AC${account_id.replaceAll('-', '')}`;
  const answer = await fetch(`${url}/compat/twilio/v2${path}`, {
    method: form ? 'POST' : 'GET',
    headers: {
      authorization: `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    ...(form ? { body: new URLSearchParams(form).toString() } : {}),
  });
  return { status: answer.status, body: (await answer.json()) as TwilioAnswer['body'] };
}

async function serviceOf(target: Target, { account_id, key }: Tenant): Promise<string> {
  await target.db.run(
    `update api_keys set scopes = scopes || '{verify_services:write}'::text[] where account_id = $1`,
    [account_id],
  );
  const { body } = await ask(target, [account_id, key], '/Services', { FriendlyName: 'Acme' });
  return `/Services/${body.sid}`;
}

const rowsOf = async (target: Target, { account_id }: Tenant): Promise<number> =>
  (
    await target.db.one<{ n: number }>(
      `select (select count(*) from twilio_verifications where account_id = $1)
         + (select count(*) from twilio_attempts where account_id = $1)
         + (select count(*) from twilio_bucket_counts c join twilio_buckets b on b.id = c.bucket_id where b.account_id = $1)
         as n`,
      [account_id],
    )
  ).n;

export const twilioVerify: Attack[] = [
  {
    name: "a test key with every scope, and a live key with the usual ones, that change a live service, its rate limits and the safe list; a live key that sends through a test's service",
    promise: 'nothing live changes, and no live message follows the settings of a test',
    async run(target) {
      const tenant = await target.tenant(3);
      const [live = '', weak = '', test = ''] = tenant.keys;
      const { account_id } = tenant;
      const service = await serviceOf(target, { ...tenant, key: live });
      const set = (key: string, sql: string) =>
        target.db.run(`update api_keys set ${sql} where hash = sha256(convert_to($1, 'UTF8'))`, [key]);
      await set(weak, "scopes = '{otp:send,otp:verify,otp:read,otp:own_code,events:read}'");
      await set(test, "mode = 'test'");
      const { body: limit } = await ask(target, [account_id, live], `${service}/RateLimits`, {
        UniqueName: 'ip',
      });
      const number = target.phone();
      const calls: [path: string, form: Record<string, string>][] = [
        [service, { FriendlyName: 'Mallory', CodeLength: '4' }],
        [`${service}/RateLimits`, { UniqueName: 'other' }],
        [`${service}/RateLimits/${limit.sid}`, { Description: 'x' }],
        [`${service}/RateLimits/${limit.sid}/Buckets`, { Max: '1', Interval: '86400' }],
        ['/SafeList/Numbers', { PhoneNumber: number }],
      ];
      const state = () =>
        target.db.rows(
          `select to_jsonb(s) from twilio_services s where account_id = $1 and not is_test
           union all select to_jsonb(r) from twilio_rate_limits r where account_id = $1
           union all select to_jsonb(b) from twilio_buckets b where account_id = $1
           union all select to_jsonb(p.allow) from protection_settings p where account_id = $1`,
          [account_id],
        );
      const before = JSON.stringify(await state());
      const answers = [];
      for (const key of [weak, test])
        for (const [path, form] of calls) answers.push(await ask(target, [account_id, key], path, form));
      const own = await ask(target, [account_id, test], '/Services', { FriendlyName: 'Test' });
      const through = await ask(target, [account_id, live], `/Services/${own.body.sid}/Verifications`, {
        To: number,
        Channel: 'sms',
      });
      const isSame = JSON.stringify(await state()) === before;
      return {
        measured: `${statusesOf(answers.map(({ status }) => status))}; through the test's service: ${through.status}; live settings ${isSame ? 'unchanged' : 'changed'}`,
        holds:
          isSame &&
          answers.every(({ status }) => status === 403) &&
          own.status === 201 &&
          through.status === 404,
      };
    },
  },
  {
    name: '100 parallel wrong codes by number and by SID over 4 keys and two processes, then the right one',
    promise: 'five are compared; the right code is refused afterwards',
    async run(target) {
      const tenant = await target.tenant(4);
      const service = await serviceOf(target, tenant);
      const to = target.phone();
      const owner = (n: number) => [tenant.account_id, tenant.keys[n % 4] ?? ''] as const;
      const { body: started } = await ask(target, owner(0), `${service}/Verifications`, {
        To: to,
        Channel: 'sms',
      });
      const { code } = await until('the message', () =>
        target.carrier.messages.find(({ recipient }) => recipient === to),
      );
      const check = (n: number, entered: string) =>
        ask(target, owner(n), `${service}/VerificationCheck`, {
          Code: entered,
          ...(n % 2 ? { To: to } : { VerificationSid: started.sid ?? '' }),
        });
      const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
      const answers = await many(100, 50, (n) => check(n, wrong));
      const compared = answers.filter(({ status }) => status === 200).length;
      const refused = answers.filter(({ body }) => body.code === 60202 || body.code === 20429).length;
      const right = await check(1, code ?? '');
      return {
        measured: `${compared} compared, ${refused} refused; the right code: ${right.body.code}`,
        holds: compared === 5 && compared + refused === 100 && right.body.code === 60202,
      };
    },
  },
  {
    name: '60 starts of an account without credits, each with another value of a rate limit',
    promise: 'all are refused and leave no row',
    async run(target) {
      const tenant = await target.tenant(4);
      const owner = (n: number) => [tenant.account_id, tenant.keys[n % 4] ?? ''] as const;
      const service = await serviceOf(target, tenant);
      const { body: limit } = await ask(target, owner(0), `${service}/RateLimits`, { UniqueName: 'ip' });
      await ask(target, owner(0), `${service}/RateLimits/${limit.sid}/Buckets`, {
        Max: '1',
        Interval: '86400',
      });
      await target.db.run('update balances set credits = 0 where account_id = $1', [tenant.account_id]);
      const answers = await many(60, 30, (n) =>
        ask(target, owner(n), `${service}/Verifications`, {
          To: target.phone(),
          Channel: 'sms',
          RateLimits: JSON.stringify({ ip: `192.0.2.${n}` }),
        }),
      );
      const rows = await rowsOf(target, tenant);
      return {
        measured: `${statusesOf(answers.map(({ status }) => status))}; ${rows} rows`,
        holds: answers.every(({ status }) => status === 403 || status === 429) && rows === 0,
      };
    },
  },
  {
    name: "another account's services, verifications and attempts by their SIDs, and its SID with an own key",
    promise: 'none is found, and the foreign SID is refused',
    async run(target) {
      const [alice, bob] = [await target.tenant(), await target.tenant()];
      const service = await serviceOf(target, alice);
      const to = target.phone();
      const { body } = await ask(target, [alice.account_id, alice.key], `${service}/Verifications`, {
        To: to,
        Channel: 'sms',
      });
      const own = await serviceOf(target, bob);
      const owner = [bob.account_id, bob.key] as const;
      const answers = [
        await ask(target, owner, service),
        await ask(target, owner, `${service}/Verifications/${body.sid}`),
        await ask(target, owner, `${own}/Verifications/${body.sid}`),
        await ask(target, owner, `${own}/Verifications/${to}`, { Status: 'canceled' }),
        await ask(target, owner, `/Attempts/VL${NOBODY}`),
      ];
      const foreign = await ask(target, [alice.account_id, bob.key], '/Services');
      return {
        measured: `${statusesOf(answers.map(({ status }) => status))}; the foreign SID: ${foreign.status}`,
        holds: answers.every(({ status }) => status === 404) && foreign.status === 401,
      };
    },
  },
];
