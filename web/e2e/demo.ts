import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/test/free-ports.ts';
import type { Who } from './screens.ts';

/**
 * What the screenshots and the tour show: the demonstration account of `npm start -- seed` (forty days of history) with two more
 * members and an open invitation, a second, empty account, and changes of the operator.
 */
export interface Furnished {
  /** Signs one of them in again. */
  signIn(who: Who): Promise<Tokens>;
  /** The path of a screen in this service. */
  pathOf(screen: { path: string }): string;
}

/** The service as `npm start` runs it, furnished, with its own database. */
export interface Demo extends Furnished, AsyncDisposable {
  url: string;
}

export interface Tokens {
  access: string;
  refresh: string;
}

const MAIN = join(import.meta.dirname, '../../server/src/main.ts');
export const PASSWORD = 'a password for looking around';
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
    return { url, ...(await furnish(url)), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

const EMAILS = { full: 'demo@example.com', empty: 'new@example.com', viewer: 'vera@example.com' };

/** Furnishes a service that has just been seeded with `PASSWORD`. */
export async function furnish(url: string): Promise<Furnished> {
  const signIn = (who: Who) => post<Tokens>(url, '/auth/signin', { email: EMAILS[who], password: PASSWORD });
  const full = await signIn('full');
  const empty = await signUp(url, EMAILS.empty);
  const accountOf = async (as: Tokens) =>
    (await api<{ account_id: string }>(url, '/users/me', { as })).account_id;
  await joinedBy(url, full, 'sam@example.com', 'developer');
  await joinedBy(url, full, EMAILS.viewer, 'viewer');
  for (const [name, max_sends, period_seconds] of [
    ['signup-ip', 5, 3600],
    ['user', 20, 86_400],
  ])
    await post(url, '/limits/', { name, max_sends, period_seconds }, full);
  const texts = [{ channel: 'sms', locale: 'en', text: 'Order {order} at {brand}: {code}' }];
  for (const name of ['order', 'delivery']) await post(url, '/templates/', { name, texts }, full);
  for (const recipient of ['gone@example.com', 'full@example.org'])
    await post(url, '/recipients/suppressed/', { recipient, reason: 'hard_bounce' }, full);
  await api(url, '/plans/', {
    method: 'PUT',
    as: full,
    body: {
      default: { channels: ['sms', 'voice'], wait_seconds: 60 },
      countries: [{ country: 'DE', channels: ['voice', 'sms'], wait_seconds: 45 }],
    },
  });
  const reason = 'Trial';
  const carrier = { method: 'PUT', as: full };
  await api(url, '/operator/carriers/sandbox/', { ...carrier, body: { channel: 'sms', weight: 1, reason } });
  await api(url, '/operator/carriers/sandbox/', {
    ...carrier,
    body: { channel: 'sms', country: 'CA', weight: 1, reason },
  });
  const { updated_at } = await api<{ updated_at?: string }>(url, '/operator/protection/', { as: full });
  await api(url, '/operator/protection/', {
    method: 'PUT',
    as: full,
    body: { deny: [{ kind: 'prefix', value: '+1900' }], updated_at, reason },
  });
  const ids: Record<string, string> = {
    $account: await accountOf(full),
    $new: await accountOf(empty),
    $invitation: await invite(url, full, { email: 'nora@example.com', role: 'support' }),
  };
  // Each account has the session of the browser alone.
  for (const { refresh } of [full, empty]) await post(url, '/auth/logout', { refresh });
  return { signIn, pathOf: ({ path }) => path.replace(/\$\w+/, (name) => ids[name] ?? name) };
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

async function joinedBy(url: string, as: Tokens, email: string, role: string): Promise<void> {
  const invitation = await invite(url, as, { email, role });
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
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
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
