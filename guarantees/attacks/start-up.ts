/** Settings that would exchange test money for real messages, or leave a deployment unprotected. */

import { fork } from 'node:child_process';
import { join } from 'node:path';
import { type Attack, many } from './attack.ts';
import { PUBLIC_URL, type Target } from './target.ts';

const MAIN = join(import.meta.dirname, '../../server/src/main.ts');
type Env = Readonly<Record<string, string>>;
const LONGEST_MS = 60_000;

interface Ending {
  /** null if the service started and had to be killed */
  code: number | null;
  output: string;
}

/** Starts the service with these settings and waits until it exits. A service that listens is killed. */
function start(env: Env): Promise<Ending> {
  return new Promise((resolve) => {
    const child = fork(MAIN, ['api'], {
      env: { PATH: process.env.PATH, PORT: '0', ...env },
      execArgv: [],
      silent: true,
    });
    let output = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output += String(chunk);
        if (/running at http/.test(output)) child.kill('SIGKILL');
      });
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

interface Refused {
  what: string;
  env: (base: Env) => Env;
  sentence: RegExp;
}

const without = (env: Env, ...names: string[]): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));

const STRIPE = ['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_API_URL'];
/** Without NODE_ENV and Stripe keys: a sandbox with test cards and real carriers. */
const sandbox = (env: Env) => without(env, 'NODE_ENV', ...STRIPE);

const REFUSED: readonly Refused[] = [
  {
    what: 'test cards with real carriers and a public PUBLIC_URL',
    env: (base) => without(sandbox(base), 'TRUSTED_PROXIES'),
    sentence: /Cards are test cards in a sandbox, .* would pay for real messages/,
  },
  {
    what: 'test cards with real carriers, behind a proxy on the same host',
    env: (base) => without(sandbox(base), 'PUBLIC_URL'),
    sentence: /Cards are test cards in a sandbox, .* would pay for real messages/,
  },
  {
    what: 'test cards with a mail server, listening on every address',
    env: (base) => ({
      ...without(sandbox(base), 'PUBLIC_URL', 'TRUSTED_PROXIES', 'HTTP_CARRIER_URL', 'HTTP_CARRIER_SECRET'),
      HOST: '0.0.0.0',
    }),
    sentence: /Cards are test cards in a sandbox, .* would pay for real messages by smtp/,
  },
  {
    what: "Stripe's test keys in production",
    env: (base) => ({ ...base, STRIPE_SECRET_KEY: 'sk_test_fake', STRIPE_PUBLISHABLE_KEY: 'pk_test_fake' }),
    sentence: /are Stripe test keys, and production takes real cards/,
  },
  {
    what: 'a SECRET_KEY that is easy to guess',
    env: (base) => ({ ...base, SECRET_KEY: 'passwordpassword1' }),
    sentence: /SECRET_KEY .* set it to random text/,
  },
  {
    what: 'a METRICS_TOKEN that is easy to guess',
    env: (base) => ({ ...base, METRICS_TOKEN: 'metrics-token-1234' }),
    sentence: /METRICS_TOKEN is easy to guess/,
  },
  {
    what: 'an HTTP_CARRIER_SECRET that is easy to guess',
    env: (base) => ({ ...base, HTTP_CARRIER_SECRET: '1234567890123456' }),
    sentence: /HTTP_CARRIER_SECRET is easy to guess/,
  },
  {
    what: 'TRUSTED_PROXIES that trusts every address',
    env: (base) => ({ ...base, TRUSTED_PROXIES: '0.0.0.0/0' }),
    sentence: /TRUSTED_PROXIES holds a range that trusts strangers/,
  },
  {
    what: 'an http PUBLIC_URL in production',
    env: (base) => ({ ...base, PUBLIC_URL: PUBLIC_URL.replace('https', 'http') }),
    sentence: /PUBLIC_URL is not https/,
  },
  {
    what: 'webhooks to private hosts on a public deployment',
    env: (base) => ({ ...base, WEBHOOK_ALLOW_PRIVATE: '1' }),
    sentence: /WEBHOOK_ALLOW_PRIVATE=1 would let customers reach private hosts/,
  },
];

export const startUp: Attack[] = [
  {
    name: `${REFUSED.length} unsafe deployments, each started`,
    promise: 'each exits with code 1 and a one-sentence reason',
    async run({ env }: Target) {
      const endings = await many(REFUSED.length, 2, (n) => start(REFUSED[n]?.env(env) ?? {}));
      const wrong = REFUSED.filter(
        ({ sentence }, n) => endings[n]?.code !== 1 || !sentence.test(endings[n]?.output ?? ''),
      );
      return {
        measured:
          wrong.length === 0
            ? `${REFUSED.length} of ${REFUSED.length} refused`
            : `not refused as promised: ${wrong.map(({ what }) => what).join('; ')}`,
        holds: wrong.length === 0,
      };
    },
  },
];
