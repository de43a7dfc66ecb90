import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn, signUp, verifyTwoFactor } from '#contract/accounts.ts';
import { API_BASE, type Route } from '#contract/route.ts';
import { codeFor } from '../../test/person.ts';
import { type TestService, testService } from '../../test/service.ts';
import type { FloodOrder, FloodReport } from '../../test/sign-in-flood.ts';
import { PASSWORD_COST } from './passwords.ts';

/** The real service over HTTP, behind a proxy on this machine. */
let service: TestService;
let url: string;
beforeAll(async () => {
  service = await testService({ env: { TRUSTED_PROXIES: '127.0.0.0/8' }, passwordCost: PASSWORD_COST });
  url = (await service.listen()) + API_BASE;
});
afterAll(() => service[Symbol.asyncDispose]());

async function timed(work: () => Promise<Response>) {
  const beganMs = performance.now();
  const answer = await work();
  const body = (await answer.json()) as Record<string, string>;
  return { status: answer.status, body, ms: performance.now() - beganMs };
}

const post = (route: Route, given: object) =>
  timed(() =>
    fetch(url + route.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.50' },
      body: JSON.stringify(given),
    }),
  );

const password = 'the owner likes long walks';

async function signedUp(email: string): Promise<void> {
  const phone_number = '4155551234';
  const started = await post(signUp, { email, phone_number, password, confirm_password: password });
  const { session_token } = started.body;
  expect((await post(verifyTwoFactor, { session_token, code: await codeFor(service, email) })).status).toBe(
    200,
  );
}

async function startFlood(order: FloodOrder): Promise<() => Promise<FloodReport>> {
  const thread = new Worker(new URL('../../test/sign-in-flood.ts', import.meta.url), { workerData: order });
  await once(thread, 'online');
  return async () => {
    thread.postMessage('stop');
    const [report] = (await once(thread, 'message')) as [FloodReport];
    await thread.terminate();
    return report;
  };
}

const median = (all: number[]): number => all.sort((a, b) => a - b)[all.length >> 1] ?? 0;

describe('a flood of 500 sign-ins a second', () => {
  test.each(['one /32 of IPv6', '200 networks'] as const)(
    'from %s delays the owner by two seconds at most',
    async (networks) => {
      const email = `owner.${networks.length}@people.test`;
      await signedUp(email);
      const alone: number[] = [];
      for (let n = 0; n < 5; n += 1) alone.push((await post(signIn, { email, password })).ms);
      const stop = await startFlood({ url: url + signIn.path, networks, email, perSecond: 500 });
      const [signIns, trivial]: Awaited<ReturnType<typeof timed>>[][] = [[], []];
      for (let n = 0; n < 8; n += 1) {
        trivial?.push(await timed(() => fetch(url.replace(API_BASE, '/healthz'))));
        signIns?.push(await post(signIn, { email, password }));
      }
      const report = await stop();
      const [times = [], waits = []] = [signIns, trivial].map((all) => all?.map(({ ms }) => Math.round(ms)));
      const facts = JSON.stringify({ alone, times, waits, report });
      for (const answer of signIns ?? []) expect(answer.status, facts).toBe(200);
      // A sign-in waits about twenty times for the event loop and the database. If a response without any work, or a
      // sign-in without a flood, takes long, the machine is busy, and the limit of the test grows accordingly.
      const limitMs = Math.max(2_000, 20 * median(waits), 20 * median(alone));
      expect(Math.max(...times), facts).toBeLessThan(limitMs);
      // It was a flood: more requests than the server could hash, none of them with a right password.
      expect(report.statuses[429], facts).toBeGreaterThan(100);
      expect(report.statuses[200], facts).toBeUndefined();
    },
    120_000,
  );
});
