import { signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { checkDestination } from '@sixdigit/contract/protection/protection.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { clientOf } from '../../server/src/accounts/sessions/client.ts';
import { startSession } from '../../server/src/accounts/sessions/sessions.ts';
import { noPlaces } from '../../server/src/platform/addresses/places.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import type { Db } from '../../server/src/platform/db/sql.ts';
import { systemRandom } from '../../server/src/platform/security/random.ts';
import { createVault } from '../../server/src/platform/security/vault.ts';
import { type HttpCarrierFake, startHttpCarrier } from '../../server/test/fakes/http-carrier.ts';
import { type SmtpFake, startSmtp } from '../../server/test/fakes/smtp.ts';
import { type FakeStripe, startFakeStripe } from '../../server/test/fakes/stripe/stripe.ts';
import { type Account, fillAccounts, switchRulesOff } from '../harness/accounts.ts';
import { type Fleet, startDatabase, startFleet } from '../harness/processes.ts';

/**
 * A public production deployment: an API process and a worker process behind a trusted proxy, with local carriers, a mail server
 * and a card provider.
 */
export const SECRET_KEY = '9d41c7be03f258a6e1904d7b6c8f25a3b70e49d1c6528f3ae97b04d1c85f62ea';
export const PUBLIC_URL = 'https://otp.example.com';
export const METRICS_TOKEN = 'scrape-6f1d08c2b94e7a53';
const FIRST_PORT = 31_600;
/** For the identity providers of attacks. */
export const PROVIDER_PORTS = [31_650, 31_651] as const;
export const WELCOME_CREDITS = 25;

export interface CallInput {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  apiKey?: string;
  bearer?: string;
  headers?: Record<string, string>;
  /** the client's address, as the proxy forwards it */
  from?: string;
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
}

/** A populated account with a session. */
export interface Tenant extends Account {
  /** every key of the account; `key` is the first */
  keys: string[];
  bearer: string;
}

/** A person who signed up over HTTP. */
export interface Person {
  email: string;
  password: string;
  address: string;
  bearer: string;
}

export interface Target {
  port: number;
  url: string;
  env: Readonly<Record<string, string>>;
  databaseUrl: string;
  db: Db;
  carrier: HttpCarrierFake;
  mail: SmtpFake;
  stripe: FakeStripe;
  fleet: Fleet;
  call(route: Route, input?: CallInput): Promise<Answer>;
  tenant(keysEach?: number): Promise<Tenant>;
  /** A new session of an account. Returns its bearer token. */
  session(account_id: string): Promise<string>;
  /** Signs up and verifies the e-mail address. Returns the status if refused. */
  signUp(address: string): Promise<Person | number>;
  /** A valid US number that no other attack uses. */
  phone(): string;
}

export async function startTarget(cleanup: AsyncDisposableStack): Promise<Target> {
  const { url: databaseUrl, db, dataDir } = await startDatabase(cleanup);
  await switchRulesOff(databaseUrl, []);
  const [carrier, mail, stripe] = await Promise.all([
    startHttpCarrier(),
    startSmtp(),
    startFakeStripe({ secretKey: 'sk_live_fake', publishableKey: 'pk_live_fake' }),
  ]);
  cleanup.defer(async () => {
    await Promise.all([carrier.close(), mail.close(), stripe.close()]);
  });
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    SECRET_KEY,
    PUBLIC_URL,
    METRICS_TOKEN,
    TRUSTED_PROXIES: '127.0.0.1',
    ALLOWED_COUNTRIES: '*',
    WELCOME_CREDITS: String(WELCOME_CREDITS),
    // High enough that the global limits and the limits on wrong codes refuse first.
    RECIPIENT_SENDS_PER_10_MIN: '40',
    HTTP_CARRIER_URL: carrier.url,
    HTTP_CARRIER_SECRET: carrier.secret,
    SMTP_URL: mail.url,
    EMAIL_FROM: 'codes@otp.example.com',
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_PUBLISHABLE_KEY: stripe.publishableKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.url,
    SSO_PRIVATE_ORIGINS: PROVIDER_PORTS.map((port) => `http://127.0.0.1:${port}`).join(','),
    LOG_LEVEL: 'warn',
  };
  const fleet = await startFleet({ apis: 1, workers: 1, firstPort: FIRST_PORT }, env);
  cleanup.defer(() => fleet.stop());
  const url = `http://127.0.0.1:${FIRST_PORT}`;
  stripe.webhooks.endpoints.push({
    url: `${url}${API_BASE}/payments/stripe-webhook/`,
    secret: stripe.webhookSecret,
  });
  const random = systemRandom(systemClock);
  const vault = createVault(SECRET_KEY, [], random);
  let people = 0;
  let phones = 0;
  const call: Target['call'] = (route, input) => callOn(url, route, input);
  const session = async (account_id: string) =>
    (
      await db.transaction((tx) =>
        startSession(
          tx,
          { config: { publicUrl: url, port: FIRST_PORT }, random, vault, placeOf: noPlaces },
          account_id,
          clientOf({ ip: '127.0.0.1', headers: {} }),
        ),
      )
    ).access;
  const phone = () => `+1415${5_550_000 + 2_000 + ++phones}`;
  return {
    port: FIRST_PORT,
    url,
    env,
    databaseUrl,
    db,
    carrier,
    mail,
    stripe,
    fleet,
    call,
    phone,
    session,
    async tenant(keysEach = 1) {
      const made = await fillAccounts(databaseUrl, { accounts: 1, keysEach });
      const [account] = made;
      if (!account) throw new Error('No account');
      await switchRulesOff(databaseUrl, made);
      await untilUnprotected(call, account.key);
      return { ...account, keys: made.map(({ key }) => key), bearer: await session(account.account_id) };
    },
    async signUp(address) {
      const email = `person.${++people}@people.example`;
      const password = `long walks by the sea ${people}`;
      const body = { email, phone_number: phone(), password, confirm_password: password };
      const started = await call(signUp, { body, from: address });
      if (started.status !== 200) return started.status;
      const { code } = await mail.waitForMailTo(email);
      const proven = await call(verifyTwoFactor, {
        body: { session_token: started.body.session_token, code },
        from: address,
      });
      if (proven.status !== 200) return proven.status;
      return { email, password, address, bearer: String(proven.body.access) };
    },
  };
}

/** Waits until the service has read that an account has no rules on destinations. */
async function untilUnprotected(call: Target['call'], apiKey: string): Promise<void> {
  for (const end = performance.now() + 10_000; performance.now() < end; ) {
    const { status, body } = await call(checkDestination, { apiKey, body: { recipient: '+14155550100' } });
    if (status === 200 && (body.rules as unknown[]).length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The rules on destinations are still on after 10 s');
}

/** A call over HTTP, as a proxy on this machine forwards it. */
export async function callOn(url: string, route: Route, input: CallInput = {}): Promise<Answer> {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(input.params?.[name] ?? ''),
  );
  const query = input.query ? `?${new URLSearchParams(input.query)}` : '';
  const answer = await fetch(url + API_BASE + path + query, {
    method: route.method,
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
    headers: {
      'x-forwarded-for': input.from ?? '203.0.113.50',
      'x-forwarded-proto': 'https',
      ...(input.apiKey ? { 'x-api-key': input.apiKey } : {}),
      ...(input.bearer ? { authorization: `Bearer ${input.bearer}` } : {}),
      ...(input.body ? { 'content-type': 'application/json' } : {}),
      ...input.headers,
    },
    body: input.body ? JSON.stringify(input.body) : null,
  });
  const text = await answer.text();
  return {
    status: answer.status,
    body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : {},
    headers: answer.headers,
  };
}

/** Waits until the worker has delivered all due messages. */
export async function untilDelivered({ db }: Target): Promise<void> {
  for (const end = performance.now() + 20_000; performance.now() < end; ) {
    const { due } = await db.one<{ due: number }>(
      `select (select count(*) from deliveries) + (select count(*) from notices where run_at <= clock_now()) as due`,
    );
    if (due === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The queue is not empty after 20 s');
}

/** The address of the n-th network. Each is in a separate /24. */
export const networkAddress = (n: number): string => `${20 + (n % 180)}.${(n >> 4) & 255}.${n & 255}.9`;
