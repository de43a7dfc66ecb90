import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn, signUp, verifyTwoFactor } from '#contract/accounts.ts';
import { API_BASE, type Route } from '#contract/route.ts';
import { codeFor } from '../../test/person.ts';
import { type TestService, testService } from '../../test/service.ts';

/** The real service over HTTP, behind a proxy on this machine. */
let service: TestService;
let url: string;
const agent = new Agent({ keepAlive: true, maxSockets: 400 });
beforeAll(async () => {
  service = await testService({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } });
  url = await service.listen();
});
afterAll(async () => {
  agent.destroy();
  await service[Symbol.asyncDispose]();
});

interface Answer {
  status: number;
  ms: number;
  body: Record<string, string>;
}

function post(address: string, route: Route, given: object): Promise<Answer> {
  const beganMs = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url + API_BASE + route.path,
      { method: 'POST', agent, headers: { 'content-type': 'application/json', 'x-forwarded-for': address } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            ms: performance.now() - beganMs,
            body: text === '' ? {} : JSON.parse(text),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(JSON.stringify(given));
  });
}

const HOME = '203.0.113.50';
const password = 'the owner likes long walks';

async function signedUp(name: string): Promise<string> {
  const email = `${name}@people.test`;
  const started = await post(HOME, signUp, {
    email,
    phone_number: '4155551234',
    password,
    confirm_password: password,
  });
  const { session_token } = started.body;
  const code = await codeFor(service, email);
  expect((await post(HOME, verifyTwoFactor, { session_token, code })).status).toBe(200);
  return email;
}

const PER_SECOND = 500;
const IN_FLIGHT = 350;

/** Wrong passwords at a steady rate until told to stop; as many in flight as a botnet's patience would leave open. */
function flood(addressOf: (n: number) => string, emailOf: (n: number) => string) {
  const statuses = new Map<number, number>();
  const beganMs = performance.now();
  let sent = 0;
  let inFlight = 0;
  let stopped = false;
  const idle = Promise.withResolvers<void>();
  const timer = setInterval(() => {
    const due = ((performance.now() - beganMs) / 1_000) * PER_SECOND;
    for (; sent < due && inFlight < IN_FLIGHT; sent += 1) {
      inFlight += 1;
      void post(addressOf(sent), signIn, { email: emailOf(sent), password: `guess number ${sent}` })
        .then(({ status }) => statuses.set(status, (statuses.get(status) ?? 0) + 1))
        .finally(() => {
          inFlight -= 1;
          if (stopped && inFlight === 0) idle.resolve();
        });
    }
  }, 5);
  return async () => {
    clearInterval(timer);
    stopped = true;
    if (inFlight > 0) await idle.promise;
    return { statuses, perSecond: (sent / (performance.now() - beganMs)) * 1_000 };
  };
}

const TRIES = 8;

describe('a flood of sign-ins', () => {
  test.each([
    [
      'one /32 of IPv6',
      'six',
      (n: number) => `2001:db8:${(n % 60_000).toString(16)}:${(n % 251).toString(16)}::1`,
    ],
    ['200 networks', 'many', (n: number) => `${20 + (n % 200)}.${(n >> 2) & 255}.${n & 255}.9`],
  ])(
    'from %s keeps the owner waiting for two seconds at most',
    async (_, name, addressOf) => {
      const email = await signedUp(name);
      const quiet = await post(HOME, signIn, { email, password });
      expect(quiet.status).toBe(200);
      // A machine on which one sign-in takes long without any flood gets more time.
      const limitMs = Math.max(2_000, 25 * quiet.ms);

      // Half of the guesses are at the owner's account.
      const stop = flood(addressOf, (n) => (n % 2 === 0 ? email : `nobody.${n}@people.test`));
      const answers: Answer[] = [];
      for (let n = 0; n < TRIES; n += 1) {
        await new Promise((resume) => setTimeout(resume, 250));
        answers.push(await post(HOME, signIn, { email, password }));
      }
      const { statuses, perSecond } = await stop();
      const facts = {
        answers: answers.map(({ status, ms }) => [status, Math.round(ms)]),
        perSecond,
        statuses,
      };
      expect(
        answers.every(({ status }) => status === 200),
        JSON.stringify(facts),
      ).toBe(true);
      expect(Math.max(...answers.map(({ ms }) => ms)), JSON.stringify(facts)).toBeLessThan(limitMs);
      // It was a flood: more came than could be hashed.
      expect(statuses.get(429)).toBeGreaterThan(100);
      console.info(`${name}: ${JSON.stringify(facts)} quiet ${Math.round(quiet.ms)} ms`);
    },
    120_000,
  );
});
