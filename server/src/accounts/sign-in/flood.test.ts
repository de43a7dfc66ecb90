import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { deleteMe, updateProfile, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import {
  changePassword,
  forgotPassword,
  resetPasswordByLink,
} from '@sixdigit/contract/accounts/passwords.ts';
import { signIn, signUp, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { API_BASE, type Route } from '@sixdigit/contract/route.ts';
import { stepUp } from '@sixdigit/contract/second-factors/step-up.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeFor, linkTokenFor } from '../../../test/person.ts';
import { type TestService, testService } from '../../../test/service.ts';
import type { FloodCall, FloodOrder, FloodReport } from '../../../test/sign-in-flood.ts';
import { createHashQueue, type HashQueue } from '../passwords/hash-queue.ts';
import { createPasswords, PASSWORD_COST } from '../passwords/passwords.ts';

/** The real service over HTTP, behind a proxy on this machine. */
let service: TestService;
let url: string;
/** For each hash that the owner's known network asked for, how many others were begun while it waited. */
const overtaken: number[] = [];
beforeAll(async () => {
  const passwords = createPasswords(PASSWORD_COST, watched(createHashQueue()));
  service = await testService({ env: { TRUSTED_PROXIES: '127.0.0.0/8' }, passwords });
  url = (await service.listen()) + API_BASE;
});
afterAll(() => service[Symbol.asyncDispose]());

async function post(route: Route, given: object, from = '203.0.113.50') {
  const answer = await fetch(url + route.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify(given),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

const password = 'the owner likes long walks';

/** Returns the access token. */
async function signedUp(email: string, from?: string): Promise<string> {
  const phone_number = '4155551234';
  const started = await post(signUp, { email, phone_number, password, confirm_password: password }, from);
  const { session_token } = started.body;
  const code = await codeFor(service, email);
  const { status, body } = await post(verifyTwoFactor, { session_token, code }, from);
  expect(status).toBe(200);
  return body.access ?? '';
}

/** Right and wrong passwords in every call that hashes for a session or the holder of a reset link. */
const callsOf = (bearer: string, link: string): FloodCall[] => {
  const fresh = { password: 'another long walk', confirm_password: 'another long walk' };
  const wrong = { current_password: 'not this one' };
  const settings = { two_factor_enabled: true, two_factor_method: 'email' };
  const call = ({ method, path }: Route, body: object): FloodCall => ({
    method,
    path: API_BASE + path,
    bearer,
    body,
  });
  return [
    call(stepUp, { password }),
    call(stepUp, { password: 'not this one' }),
    call(changePassword, { ...wrong, ...fresh }),
    call(updateProfile, { ...wrong, phone_number: '4155556789' }),
    call(updateTwoFactor, { ...wrong, ...settings }),
    call(deleteMe, { password: 'not this one' }),
    call(resetPasswordByLink, { token: link, ...fresh }),
  ];
};

/** Resolves when the flood is more than the service can hash. */
async function startFlood(order: FloodOrder): Promise<() => Promise<FloodReport>> {
  const thread = new Worker(new URL('../../../test/sign-in-flood.ts', import.meta.url), {
    workerData: order,
  });
  await once(thread, 'message');
  return async () => {
    thread.postMessage('stop');
    const [report] = (await once(thread, 'message')) as [FloodReport];
    await thread.terminate();
    return report;
  };
}

function watched({ inTurn }: HashQueue): HashQueue {
  let begun = 0;
  return {
    inTurn(place, work) {
      const before = begun;
      return inTurn(place, () => {
        if (place.room === 'known') overtaken.push(begun - before);
        begun += 1;
        return work();
      });
    },
  };
}

const REFUSED_LEAST = 100;
/** In three of four turns a known network goes first, so at most one stranger per turn of each hashing thread. */
const MOST_AHEAD = 2;

describe('a flood of 500 sign-ins a second', () => {
  test.each(['one /32 of IPv6', '200 networks'] as const)(
    "500 sign-ins a second from %s delay the owner's password check by at most two others",
    async (networks) => {
      const email = `owner.${networks.length}@people.test`;
      await signedUp(email);
      const stop = await startFlood({
        url: url + signIn.path,
        networks,
        email,
        perSecond: 500,
        announceAfter: REFUSED_LEAST,
      });
      overtaken.length = 0;
      const statuses: number[] = [];
      for (let n = 0; n < 8; n += 1) statuses.push((await post(signIn, { email, password })).status);
      const report = await stop();
      const facts = JSON.stringify({ overtaken, statuses, report });
      expect(statuses, facts).toEqual(Array(8).fill(200));
      expect(overtaken.length, facts).toBe(8);
      expect(Math.max(...overtaken), facts).toBeLessThanOrEqual(MOST_AHEAD);
      // The flood had more requests than the server could hash, and none with a right password.
      expect(report.statuses[429], facts).toBeGreaterThanOrEqual(REFUSED_LEAST);
      expect(report.statuses[200], facts).toBeUndefined();
    },
    120_000,
  );
});

test("24 signed-in accounts that repeat every call with a password delay an owner's sign-in by at most two others", async () => {
  const email = 'owner.beside.sessions@people.test';
  await signedUp(email);
  const calls: FloodCall[] = [];
  for (let n = 0; n < 24; n += 1) {
    const attacker = `attacker.${n}@people.test`;
    const from = `${20 + n}.0.0.9`;
    const bearer = await signedUp(attacker, from);
    await post(forgotPassword, { email: attacker }, from);
    calls.push(...callsOf(bearer, await linkTokenFor(service, attacker)));
  }
  const stop = await startFlood({
    url: url + signIn.path,
    networks: '200 networks',
    email,
    calls,
    perSecond: 500,
    announceAfter: REFUSED_LEAST,
  });
  overtaken.length = 0;
  const statuses: number[] = [];
  for (let n = 0; n < 8; n += 1) statuses.push((await post(signIn, { email, password })).status);
  const facts = JSON.stringify({ overtaken, statuses, report: await stop() });
  expect(statuses, facts).toEqual(Array(8).fill(200));
  expect(Math.max(...overtaken), facts).toBeLessThanOrEqual(MOST_AHEAD);
}, 120_000);
