import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_BASE, type Route } from '#contract/route.ts';
import { signIn, signUp, verifyTwoFactor } from '#contract/sign-in.ts';
import { codeFor } from '../../test/person.ts';
import { type TestService, testService } from '../../test/service.ts';
import type { FloodOrder, FloodReport } from '../../test/sign-in-flood.ts';
import { createHashQueue, type HashQueue } from './hash-queue.ts';
import { createPasswords, PASSWORD_COST } from './passwords.ts';

/** The real service over HTTP, behind a proxy on this machine. */
let service: TestService;
let url: string;
/** For each hash that a known network asked for, how many others were begun while it waited. */
const overtaken: number[] = [];
beforeAll(async () => {
  const passwords = createPasswords(PASSWORD_COST, watched(createHashQueue()));
  service = await testService({ env: { TRUSTED_PROXIES: '127.0.0.0/8' }, passwords });
  url = (await service.listen()) + API_BASE;
});
afterAll(() => service[Symbol.asyncDispose]());

async function post(route: Route, given: object) {
  const answer = await fetch(url + route.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.50' },
    body: JSON.stringify(given),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

const password = 'the owner likes long walks';

async function signedUp(email: string): Promise<void> {
  const phone_number = '4155551234';
  const started = await post(signUp, { email, phone_number, password, confirm_password: password });
  const { session_token } = started.body;
  expect((await post(verifyTwoFactor, { session_token, code: await codeFor(service, email) })).status).toBe(
    200,
  );
}

/** Resolves when the flood is more than the service can hash. */
async function startFlood(order: FloodOrder): Promise<() => Promise<FloodReport>> {
  const thread = new Worker(new URL('../../test/sign-in-flood.ts', import.meta.url), { workerData: order });
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
        if (place.isKnown) overtaken.push(begun - before);
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
    "from %s does not delay the owner's password check by more than two others",
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
      // It was a flood: more requests than the server could hash, none of them with a right password.
      expect(report.statuses[429], facts).toBeGreaterThanOrEqual(REFUSED_LEAST);
      expect(report.statuses[200], facts).toBeUndefined();
    },
    120_000,
  );
});
