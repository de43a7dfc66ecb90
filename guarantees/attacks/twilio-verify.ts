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
