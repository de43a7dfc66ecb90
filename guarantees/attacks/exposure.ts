/** Attacks on operator-only routes and on redirect targets in responses. */

import { type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { startReverseProxy } from '../../server/test/fakes/reverse-proxy.ts';
import { type Fleet, startFleet } from '../harness/processes.ts';
import { type Attack, many, statusesOf } from './attack.ts';
import { METRICS_TOKEN, networkAddress, type Person, PUBLIC_URL, SECRET_KEY, type Target } from './target.ts';

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
}

/** A request with any `Host` and any path; `fetch` would normalize both. */
function raw(port: number, path: string, headers: OutgoingHttpHeaders): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, path, headers, agent: false, timeout: 20_000 },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
      },
    );
    call.once('timeout', () => call.destroy(new Error('timeout')));
    call.once('error', reject);
    call.end();
  });
}

const PATHS = ['/metrics', '/sandbox/messages'] as const;
const SANDBOX_PORT = 31_620;
const LOCAL_PORT = 31_630;

/** Requests that spoof a local origin, directly and through a proxy that sends its upstream as `Host`. */
async function openedTo(port: number, hosts: readonly string[], token?: string): Promise<string[]> {
  const proxy = await startReverseProxy(`http://127.0.0.1:${port}`, (headers) => ({
    ...headers,
    host: `127.0.0.1:${port}`,
  }));
  await using _ = proxy;
  const opened: string[] = [];
  for (const path of PATHS) {
    const tries: [string, number, OutgoingHttpHeaders][] = hosts.map((host) => [
      `Host ${host}`,
      port,
      { host },
    ]);
    const authorization = `Bearer ${token ?? 'a guessed token of some length'}`;
    tries.push(['wrong token', port, { host: 'otp.example.com', authorization }]);
    if (!hosts.includes('evil.example'))
      tries.push(['Host-rewriting proxy', Number(new URL(proxy.url).port), { host: 'otp.example.com' }]);
    else tries.push(['proxy that forwards', port, { host: 'localhost', 'x-forwarded-for': '198.51.100.7' }]);
    for (const [how, through, headers] of tries)
      if ((await raw(through, path, headers)).status !== 404) opened.push(`${path} by ${how}`);
  }
  return opened;
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]', 'otp.example.com'];
const sandboxEnv = ({ databaseUrl, env }: Target): Record<string, string> => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: env.DATA_DIR ?? '',
  SECRET_KEY,
  LOG_LEVEL: 'warn',
});

async function besides<T>(fleet: Promise<Fleet>, work: () => Promise<T>): Promise<T> {
  const running = await fleet;
  try {
    return await work();
  } finally {
    await running.stop();
  }
}

export const exposure: Attack[] = [
  {
    name: '/metrics and the sandbox inbox of a public deployment, with a forged Host and through nginx defaults',
    promise: 'inaccessible without METRICS_TOKEN',
    async run(target) {
      const opened = await openedTo(target.port, LOCAL_HOSTS);
      const authorization = `Bearer ${METRICS_TOKEN}`;
      const operator = (await raw(target.port, '/metrics', { host: 'otp.example.com', authorization }))
        .status;
      const sandbox = { ...sandboxEnv(target), PUBLIC_URL };
      const openedSandbox = await besides(
        startFleet({ apis: 1, workers: 0, firstPort: SANDBOX_PORT }, sandbox),
        () => openedTo(SANDBOX_PORT, LOCAL_HOSTS),
      );
      const all = [...opened, ...openedSandbox];
      return {
        measured: `opened: ${all.join('; ') || 'none'}, with and without METRICS_TOKEN set; ${operator} to the operator`,
        holds: all.length === 0 && operator === 200,
      };
    },
  },
  {
    name: '/metrics and the sandbox inbox of a local sandbox, from pages of other hosts',
    promise: 'accessible only from this machine',
    async run(target) {
      const hosts = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1'];
      const { opened, own } = await besides(
        startFleet({ apis: 1, workers: 0, firstPort: LOCAL_PORT }, sandboxEnv(target)),
        async () => ({
          opened: await openedTo(LOCAL_PORT, hosts),
          own: await Promise.all(
            PATHS.map(async (path) => (await raw(LOCAL_PORT, path, { host: 'localhost' })).status),
          ),
        }),
      );
      return {
        measured: `opened: ${opened.join('; ') || 'none'}; ${own.join(', ')} to this machine`,
        holds: opened.length === 0 && own.every((status) => status === 200),
      };
    },
  },
  {
    name: 'paths that lead a browser to another origin',
    promise: 'no redirect leaves this origin',
    async run({ port }) {
      const paths = [
        [
          '//evil.example/',
          '/\\evil.example/',
          '/.//evil.example',
          '//evil.example/..',
          '///evil.example',
          '/%2f/evil.example',
        ],
        [
          '//evil.example/api/v1/profile',
          '/signin?redirect=//evil.example',
          'http://evil.example/',
          '/assets//evil.example',
        ],
      ].flat();
      const left: string[] = [];
      for (const path of paths)
        for (const host of ['otp.example.com', 'evil.example']) {
          const { headers } = await raw(port, path, { host });
          const location = String(headers.location ?? '/');
          const leads = new URL(location, PUBLIC_URL);
          if (leads.origin !== PUBLIC_URL) left.push(`${path} to ${location}`);
        }
      return { measured: left.join('; ') || `0 of ${2 * paths.length}`, holds: left.length === 0 };
    },
  },
];

/** Attacks with client addresses in every form, and with requests that never end. */
const LONGEST_MS = 35_000;

const forms: readonly ((n: number) => Record<string, string>)[] = [
  (n) => ({ 'x-forwarded-for': `${networkAddress(n)}:5${n}` }),
  (n) => ({ 'x-forwarded-for': `[2001:db8:${n}::7]:443` }),
  (n) => ({ 'x-forwarded-for': `"${networkAddress(n)}"` }),
  (n) => ({ 'x-forwarded-for': `unknown, ::ffff:${networkAddress(n)}` }),
  (n) => ({ 'x-forwarded-for': `_hidden${n}` }),
];

async function signsIn(target: Target, { email }: Person, password: string, headers: Record<string, string>) {
  return (await target.call(signIn, { body: { email, password }, headers })).status;
}

/** Sends a byte a second. Returns the status line, and how long the connection lasted. */
function drip(port: number, head: string): Promise<{ line: string; ms: number }> {
  return new Promise((resolve) => {
    const began = performance.now();
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received += String(chunk);
    });
    socket.write(head);
    const timer = setInterval(() => socket.write('x'), 1_000);
    const giveUp = setTimeout(() => socket.destroy(), 2 * LONGEST_MS);
    socket.once('close', () => {
      clearInterval(timer);
      clearTimeout(giveUp);
      resolve({ line: received.split('\r\n')[0] ?? '', ms: performance.now() - began });
    });
  });
}

export const dressedAddresses: Attack[] = [
  {
    name: 'wrong passwords of 100 strangers whose addresses arrive with ports, brackets, quotes and as unknown',
    promise: 'the owner signs in from behind the same proxy',
    async run(target) {
      const owner = await target.signUp(networkAddress(2_900));
      if (typeof owner === 'number') throw new Error(`The sign-up got ${owner}`);
      const wrong = await many(100, 4, (n) =>
        signsIn(target, owner, `guess ${n}`, forms[n % forms.length]?.(2_910 + n) ?? {}),
      );
      const right: number[] = [];
      for (const [n, form] of forms.slice(0, 4).entries())
        right.push(await signsIn(target, owner, owner.password, form(3_050 + n)));
      return {
        measured: `strangers: ${statusesOf(wrong)}; the owner: ${right.join(', ')}`,
        holds: right.every((status) => status === 200),
      };
    },
  },
  {
    name: '20 requests sent at one byte a second, in headers or body',
    promise: 'each gets 408 and loses its connection within 35 s',
    async run({ port }) {
      const head = `POST ${API_BASE}${signIn.path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n`;
      const all = await many(20, 20, (n) => drip(port, n % 2 ? head : `${head}\r\n{`));
      const late = all.filter(({ line }) => line.includes(' 408 '));
      const longest = Math.max(...all.map(({ ms }) => ms));
      return {
        measured: `${late.length} of ${all.length} got 408, the last connection ended after ${(longest / 1_000).toFixed(1)} s`,
        holds: late.length === all.length && longest <= LONGEST_MS,
      };
    },
  },
];
