/** Attacks that try to stop an owner from signing in. She uses the network where she signed up. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { updateProfile, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import {
  changePassword,
  forgotPassword,
  resetPassword,
  resetPasswordByLink,
} from '@sixdigit/contract/accounts/passwords.ts';
import { signIn, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { API_BASE } from '@sixdigit/contract/route.ts';
import { stepUp } from '@sixdigit/contract/second-factors/step-up.ts';
import type { FloodCall, FloodOrder, FloodReport } from '../../server/test/sign-in-flood.ts';
import { type Attack, many, statusesOf, until } from './attack.ts';
import { networkAddress, type Person, type Target } from './target.ts';

const ATTACKERS = 150;
const LONGEST_MS = 30_000;

const fresh = (password: string) => ({ password, confirm_password: password });

async function owner(target: Target, network: number): Promise<Person> {
  const person = await target.signUp(networkAddress(network));
  if (typeof person === 'number') throw new Error(`The sign-up got ${person}`);
  return person;
}

async function withTwoFactor(target: Target, network: number): Promise<Person> {
  const person = await owner(target, network);
  const { status } = await target.call(updateTwoFactor, {
    bearer: person.bearer,
    from: person.address,
    body: { two_factor_enabled: true, two_factor_method: 'email', current_password: person.password },
  });
  if (status !== 200) throw new Error(`Two-factor got ${status}`);
  return person;
}

/** One person's mails of one kind, newest first. */
const mailsTo = (target: Target, { email }: Person, subject: RegExp) =>
  target.mail
    .mailsTo(email)
    .filter((mail) => subject.test(mail.subject ?? ''))
    .reverse();

const codeOf = (text: string | undefined): string | undefined =>
  /(?<![\w#-])\d{6}(?![\w-])/.exec(text ?? '')?.[0];

/** Signs in with password and code. Returns the statuses. */
async function signsIn(target: Target, who: Person): Promise<number[]> {
  const before = mailsTo(target, who, /sign-in code/).length;
  const { status, body } = await target.call(signIn, {
    body: { email: who.email, password: who.password },
    from: who.address,
  });
  if (status !== 200) return [status];
  const mail = await until('the sign-in code', () => {
    const mails = mailsTo(target, who, /sign-in code/);
    return mails.length > before ? mails[0] : undefined;
  });
  const code = codeOf(mail.text);
  const entered = await target.call(verifyTwoFactor, {
    body: { session_token: body.session_token, code },
    from: who.address,
  });
  return [status, entered.status];
}

/**
 * Sets a new password with a mailed code. Mails that attackers requested contain other codes and may arrive before hers, so she
 * tries each mail's code once, the newest first, until hers has arrived. Her request allows five tries.
 */
async function resetsByCode(target: Target, who: Person): Promise<number> {
  const { body } = await target.call(forgotPassword, { body: { email: who.email }, from: who.address });
  const password = `${who.email} by the code`;
  const tried = new Set<string>();
  const end = performance.now() + 20_000;
  let status = 0;
  while (status !== 204 && tried.size < 5 && performance.now() < end) {
    const codes = mailsTo(target, who, /Reset your/).flatMap(({ text }) => codeOf(text) ?? []);
    const code = codes.find((one) => !tried.has(one));
    if (code === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    tried.add(code);
    const reset = { session_token: body.session_token, code, ...fresh(password) };
    status = (await target.call(resetPassword, { body: reset, from: who.address })).status;
  }
  if (status === 204) who.password = password;
  return status;
}

/** Sets a new password with a newly mailed link, from a network where she never signed in. */
async function resetsByLink(target: Target, who: Person): Promise<number> {
  const before = mailsTo(target, who, /Reset your/).length;
  await target.call(forgotPassword, { body: { email: who.email }, from: who.address });
  const token = await until('a link', () => {
    const mails = mailsTo(target, who, /Reset your/);
    return mails.length > before ? /#([\w-]{43})(?![\w-])/.exec(mails[0]?.text ?? '')?.[1] : undefined;
  });
  const password = `${who.email} by the link`;
  const { status } = await target.call(resetPasswordByLink, {
    body: { token, ...fresh(password) },
    from: networkAddress(2_500),
  });
  if (status === 204) who.password = password;
  return status;
}

/** Guesses the password, requests a reset and enters wrong codes. */
async function attack(target: Target, { email }: Person, from: string): Promise<void> {
  await target.call(signIn, { body: { email, password: `guess of ${from}` }, from });
  const { body } = await target.call(forgotPassword, { body: { email }, from });
  for (let n = 0; n < 2 && typeof body.session_token === 'string'; n += 1)
    await target.call(resetPassword, {
      body: { session_token: body.session_token, code: '000000', ...fresh('owned by the attacker') },
      from,
    });
}

async function startFlood(order: FloodOrder): Promise<() => Promise<FloodReport>> {
  const thread = new Worker(new URL('../../server/test/sign-in-flood.ts', import.meta.url), {
    workerData: order,
  });
  // Once the thread reports, more passwords arrive than the service can hash.
  await once(thread, 'message');
  return async () => {
    thread.postMessage('stop');
    const [report] = (await once(thread, 'message')) as [FloodReport];
    await thread.terminate();
    return report;
  };
}

const median = (all: readonly number[]): number => [...all].sort((a, b) => a - b)[all.length >> 1] ?? 0;

async function timed(work: () => Promise<{ status: number }>): Promise<{ status: number; ms: number }> {
  const beganMs = performance.now();
  const { status } = await work();
  return { status, ms: performance.now() - beganMs };
}

/**
 * Calls from 24 accounts: mostly password changes with a wrong current password, and some with the right one, which no limit
 * counts.
 */
async function sessionCalls(target: Target, network: number): Promise<FloodCall[]> {
  const calls: FloodCall[] = [];
  for (let n = 0; n < 24; n += 1) {
    const { bearer, password } = await owner(target, network + n);
    const change = { current_password: 'not this one', ...fresh('another long walk') };
    for (let turn = 0; turn < 3; turn += 1)
      calls.push({ method: 'POST', path: API_BASE + changePassword.path, bearer, body: change });
    calls.push({ method: 'POST', path: API_BASE + stepUp.path, bearer, body: { password } });
  }
  return calls;
}

const hashing = (
  name: string,
  networks: FloodOrder['networks'],
  network: number,
  callsOf: (target: Target) => Promise<FloodCall[]> | undefined = () => undefined,
): Attack => ({
  name,
  promise: 'the owner signs in within 2 s, or 20 times an empty request',
  async run(target) {
    const { email, password, address } = await owner(target, network);
    const calls = await callsOf(target);
    const stop = await startFlood({
      url: target.url + API_BASE + signIn.path,
      networks,
      email,
      ...(calls && { calls }),
      perSecond: 500,
      announceAfter: 50,
    });
    const signIns: Awaited<ReturnType<typeof timed>>[] = [];
    const empty: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      empty.push((await timed(() => fetch(`${target.url}/healthz`))).ms);
      signIns.push(await timed(() => target.call(signIn, { body: { email, password }, from: address })));
    }
    const report = await stop();
    const longest = Math.max(...signIns.map(({ ms }) => ms));
    const usual = median(empty);
    const refused = report.statuses[429] ?? 0;
    return {
      measured: `${statusesOf(signIns.map(({ status }) => status))}, longest ${longest.toFixed(0)} ms, ${(longest / usual).toFixed(0)} × /healthz (${usual.toFixed(0)} ms); flood ${report.perSecond.toFixed(0)}/s, ${refused} refused`,
      holds:
        signIns.every(({ status }) => status === 200) &&
        longest <= Math.max(2_000, 20 * usual) &&
        refused > 0,
    };
  },
});

export const lockOut: Attack[] = [
  {
    name: `password guesses, resets and wrong reset codes from ${ATTACKERS} addresses`,
    promise: 'the owner signs in by password, code and link, during the attack and afterwards',
    async run(target) {
      const who = await withTwoFactor(target, 2_000);
      const end = performance.now() + LONGEST_MS;
      let attackers = 0;
      const attacked = many(ATTACKERS, 8, async (n) => {
        if (performance.now() > end) return;
        await attack(target, who, networkAddress(2_100 + n));
        attackers += 1;
      });
      const meanwhile = [...(await signsIn(target, who)), await resetsByCode(target, who)];
      await attacked;
      const afterwards = [
        ...(await signsIn(target, who)),
        await resetsByLink(target, who),
        ...(await signsIn(target, who)),
      ];
      const statuses = [...meanwhile, ...afterwards];
      return {
        measured: `${attackers} attackers; the owner: ${statuses.join(', ')}; ${mailsTo(target, who, /Reset your/).length} reset mails`,
        holds: statuses.join() === '200,200,204,200,200,204,200,200',
      };
    },
  },
  hashing('500 sign-ins a second from one /32 of IPv6', 'one /32 of IPv6', 2_600),
  hashing('500 sign-ins a second from 200 networks', '200 networks', 2_700),
  hashing(
    '24 accounts loop change-password and step-up, 500 a second from 200 networks',
    '200 networks',
    2_800,
    (target) => sessionCalls(target, 2_820),
  ),
  {
    name: '60 wrong current passwords in one stolen session, each from a different network',
    promise: 'at most 10 are compared, over all calls; the owner still signs in',
    async run(target) {
      const who = await owner(target, 2_900);
      const wrong = (n: number) => ({ current_password: `guess number ${n}` });
      const guesses = await many(60, 4, (n) => {
        const from = networkAddress(2_910 + n);
        const { bearer } = who;
        return n % 2 === 0
          ? target.call(changePassword, { bearer, from, body: { ...wrong(n), ...fresh('stolen and kept') } })
          : target.call(updateProfile, { bearer, from, body: { ...wrong(n), phone_number: target.phone() } });
      });
      const compared = guesses.filter(({ status }) => status === 400).length;
      const { status } = await target.call(signIn, {
        body: { email: who.email, password: who.password },
        from: who.address,
      });
      return {
        measured: `${statusesOf(guesses.map((guess) => guess.status))}; the owner: ${status}`,
        holds: compared > 0 && compared <= 10 && status === 200,
      };
    },
  },
];
