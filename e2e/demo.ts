import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The service as `npm start` runs it, with its own database, the demonstration account of `npm start -- seed` (forty days of
 * history), a second member of it, an open invitation to it, and a second, empty account.
 */
export interface Demo extends AsyncDisposable {
  url: string;
  full: Tokens;
  empty: Tokens;
  /** the id of the demonstration account */
  account_id: string;
  /** the path of the open invitation */
  invitation: string;
  /** Signs both in again. */
  renew(): Promise<void>;
}

export interface Tokens {
  access: string;
  refresh: string;
}

const MAIN = join(import.meta.dirname, '../server/src/main.ts');
const PASSWORD = 'a password for looking around';
const START_MS = 60_000;
/** The Activity and Sessions screens show where someone signed in. */
const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

export async function openDemo(): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), 'sixdigit-demo-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'error' };
  await ended(fork(MAIN, ['seed', PASSWORD], { env, silent: true }));
  const service = fork(MAIN, [], { env, silent: true });
  const close = async () => {
    service.kill('SIGTERM');
    if (service.exitCode === null) await ended(service);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await ready(url);
    const signIn = (email: string) => post<Tokens>(url, '/auth/signin', { email, password: PASSWORD });
    const full = await signIn('demo@example.com');
    const empty = await signUp(url, 'new@example.com');
    const { account_id } = await api<{ account_id: string }>(url, '/users/me', { as: full });
    await joinedBy(url, full, 'sam@example.com');
    const invitation = await invite(url, full, { email: 'nora@example.com', role: 'support' });
    return {
      url,
      full,
      empty,
      account_id,
      invitation: `/invitations#${invitation}`,
      async renew() {
        Object.assign(full, await signIn('demo@example.com'));
        Object.assign(empty, await signIn('new@example.com'));
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A signed-in browser's storage. */
export const storageOf = (url: string, { access, refresh }: Tokens) => ({
  cookies: [],
  origins: [
    {
      origin: url,
      localStorage: [
        { name: 'access_token', value: access },
        { name: 'refresh_token', value: refresh },
      ],
    },
  ],
});

async function signUp(url: string, email: string): Promise<Tokens> {
  const { session_token } = await post<{ session_token: string }>(url, '/auth/signup', {
    email,
    phone_number: '4155552672',
    password: PASSWORD,
    confirm_password: PASSWORD,
  });
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; await sleep(100)) {
    const messages = await (await fetch(`${url}/sandbox/messages?recipient=${email}`)).json();
    const [newest] = messages as { code: string }[];
    if (newest) return await post(url, '/auth/verify-2fa', { session_token, code: newest.code });
  }
  throw new Error('No code arrived in the sandbox inbox.');
}

/** Invites a person and returns the token of the link. */
async function invite(url: string, as: Tokens, body: { email: string; role: string }): Promise<string> {
  await post(url, '/invitations/', body, as);
  const { results } = await api<{ results: { email: string; link: string }[] }>(
    url,
    '/invitations/?links=true',
    { as },
  );
  return (
    results
      .find(({ email }) => email === body.email)
      ?.link.split('#')
      .at(-1) ?? ''
  );
}

async function joinedBy(url: string, as: Tokens, email: string): Promise<void> {
  const invitation = await invite(url, as, { email, role: 'developer' });
  const password = { password: PASSWORD, confirm_password: PASSWORD };
  await post(url, '/auth/signup', { email, phone_number: '4155552673', ...password, invitation });
}

const post = <T>(url: string, path: string, body: object, as?: Tokens): Promise<T> =>
  api(url, path, { method: 'POST', body, as });

async function api<T>(
  url: string,
  path: string,
  { method = 'GET', body, as }: { method?: string; body?: object; as?: Tokens | undefined },
): Promise<T> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'user-agent': BROWSER,
      ...(as && { authorization: `Bearer ${as.access}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

async function ready(url: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (Date.now() > deadline) throw new Error('The service did not start within a minute.');
    await sleep(100);
  }
}

const ended = (process: ReturnType<typeof fork>): Promise<void> =>
  new Promise((resolve) => {
    process.once('exit', () => resolve());
  });

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
