import { scryptSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbedded } from '../../server/src/platform/db/embedded.ts';
import { migrate } from '../../server/src/platform/db/migrate.ts';
import { createLog } from '../../server/src/platform/log.ts';
import {
  type Account,
  clearQueue,
  fillAccounts,
  foldCounters,
  restoreRules,
  switchCounters,
  switchRulesOff,
} from '../harness/accounts.ts';
import { closedLoop, openLoop, type Prepared, quantile } from '../harness/load.ts';
import { nextPhone, sender, verifyRequest } from '../harness/requests.ts';
import { onesPerSecond } from './batches-of-one.ts';
import { dispatchedCodes, wholeLives } from './lives.ts';
import { postgresCpuUs } from './postgres-cpu.ts';
import { printProfile } from './profile.ts';
import { ratioInTurns } from './ratio-in-turns.ts';
import { startSubject, until } from './running-subject.ts';

/**
 * Ratios within one run, so that they compare across machines. All commits are durable. The load generator runs on the same cores.
 */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
/** Of comparisons in turns. */
const WARM_SECONDS = 0.3;
const TURN_SECONDS = 1.2;
const VERIFY_PAIRS = 9;

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sixdigit-bench-'));
  const log = createLog('warn');
  const embedded = await startEmbedded({ dataDir, log, superuser: true });
  try {
    await migrate(embedded.url);
    const env = {
      DATABASE_URL: embedded.url,
      SECRET_KEY: 'server key of the benchmark',
      PUBLIC_URL: 'http://bench.localhost',
    };
    const many = await fillAccounts(embedded.url, { accounts: 1000, keysEach: 1 });
    const withWebhooks = await fillAccounts(embedded.url, { accounts: 1000, keysEach: 1, webhooks: true });
    const hot = await fillAccounts(embedded.url, { accounts: 1, keysEach: 1000 });
    const load = { connections: 64, seconds: SECONDS };
    const figures: [string, number, string, string][] = [];
    const print = (text: string) => console.log(text);

    const scryptMs = quantile([1, 2, 3, 4, 5].map(timeScrypt), 0.5);

    print('bare route of the framework …');
    const bare = await startSubject('bare.ts', [], {});
    await closedLoop(bare.port, { ...load, seconds: 2 }, sender(many), 200);
    const bareRate = (await closedLoop(bare.port, load, sender(many), 200)).rate;
    await bare.stop();
    print(`  ${bareRate.toFixed(0)}/s`);

    print('the same sends in batches of one, 16 connections …');
    const ones = await onesPerSecond(embedded.url, env.SECRET_KEY, many, SECONDS, nextPhone);
    print(`  ${ones.toFixed(0)}/s`);

    print('sends over HTTP …');
    const api = await startSubject('subject.ts', ['api'], env);
    await closedLoop(api.port, { ...load, seconds: 2 }, sender(many), 201);
    const sends = await closedLoop(api.port, load, sender(many), 201);
    print(`  ${sends.rate.toFixed(0)}/s over 1,000 accounts ${refusals(sends.refused)}`);
    const hotSends = await closedLoop(api.port, load, sender(hot), 201);
    print(`  ${hotSends.rate.toFixed(0)}/s on one account ${refusals(hotSends.refused)}`);

    const lone: number[] = [];
    // One sender, so that no key reaches its limit: a refusal takes another time than a send.
    const nextLone = sender(many);
    for (let n = 0; n < 300; n++) {
      const began = performance.now();
      const { answers } = await closedLoopOnce(api.port, nextLone());
      if (answers !== 1) throw new Error('a lone send was refused');
      lone.push(performance.now() - began);
    }
    await api.stop();

    print('sends over HTTP with and without rules on destinations, in turns …');
    const compared = await startSubject('subject.ts', ['api'], env);
    const rateOver = async (seconds: number) =>
      (await closedLoop(compared.port, { ...load, seconds }, sender(many), 201)).rate;
    // The bench is a sandbox, in which all rules monitor: they do the same work as when they block.
    const rules = await ratioInTurns(() => rateOver(2), {
      pairs: 9,
      // Processes read the rules every second.
      settleMs: 1_500,
      on: () => restoreRules(embedded.url, many),
      off: () => switchRulesOff(embedded.url, many),
    });
    print(`  ${rules.on.toFixed(0)}/s and ${rules.off.toFixed(0)}/s`);

    print('sends over HTTP with and without counters for insights, in turns …');
    const counters = await ratioInTurns(
      async (state) => {
        // Every connection plans its statements again after the switch.
        await rateOver(WARM_SECONDS);
        // The turns with counters also carry the whole cost of adding them up.
        const fold =
          state === 'on' ? pause(TURN_SECONDS * 500).then(() => foldCounters(embedded.url)) : undefined;
        const rate = await rateOver(TURN_SECONDS);
        await fold;
        return rate;
      },
      {
        pairs: 21,
        settleMs: 0,
        on: () => switchCounters(embedded.url, 'enable'),
        off: () => switchCounters(embedded.url, 'disable'),
      },
    );
    await compared.stop();
    print(`  ${counters.on.toFixed(0)}/s and ${counters.off.toFixed(0)}/s`);

    print('whole lives …');
    await clearQueue(embedded.url);
    const service = await startSubject('subject.ts', ['works'], env);
    const lives = await wholeLives(service, withWebhooks, SECONDS);
    print(`  ${lives.toFixed(0)}/s`);

    print('verifies over HTTP and sends, in turns …');
    // Verifies are the faster ones, and a turn that runs out of codes only ends early.
    const count = Math.ceil(sends.rate * 1.5 * TURN_SECONDS * VERIFY_PAIRS);
    const codes = await dispatchedCodes(service, many, count);
    await service.stop();
    const both = await startSubject('subject.ts', ['api'], env);
    const turn = { ...load, seconds: TURN_SECONDS };
    const verify = () => {
      const one = codes.pop();
      return one && verifyRequest(one.key, one.id, one.code);
    };
    await closedLoop(both.port, { ...load, seconds: 2 }, sender(many), 201);
    const verifies = await ratioInTurns(
      async (state) =>
        (state === 'on'
          ? await closedLoop(both.port, turn, verify, 200)
          : await closedLoop(both.port, turn, sender(many), 201)
        ).rate,
      { pairs: VERIFY_PAIRS, settleMs: 0 },
    );
    await both.stop();
    // Their messages would be dispatched during the next figures.
    await clearQueue(embedded.url);
    print(`  ${verifies.on.toFixed(0)}/s and ${verifies.off.toFixed(0)}/s`);

    print('500 sends a second …');
    const half = await atRate(env, dataDir, many, 500);
    print('1,000 sends a second …');
    const full = await atRate(env, dataDir, many, 1000);

    const ratio = (value: number) => value.toFixed(2);
    figures.push(
      [
        'durable sends over HTTP ÷ sends in batches of one, 16 connections',
        sends.rate / ones,
        '≥ 2.5',
        ratio(sends.rate / ones),
      ],
      [
        'the same ÷ a bare route of the framework',
        sends.rate / bareRate,
        '≥ 0.15',
        ratio(sends.rate / bareRate),
      ],
      ['all rules on destinations on ÷ off', rules.ratio, '≥ 0.9', ratio(rules.ratio)],
      ['counters for insights with ÷ without', counters.ratio, '≥ 0.95', ratio(counters.ratio)],
      [
        'one hot account ÷ 1,000 accounts',
        hotSends.rate / sends.rate,
        '≥ 0.95',
        ratio(hotSends.rate / sends.rate),
      ],
      ['verifies over HTTP ÷ sends over HTTP', verifies.ratio, '≥ 1.2', ratio(verifies.ratio)],
      ['whole lives ÷ sends in batches of one', lives / ones, '≥ 1.2', ratio(lives / ones)],
      ['a lone send on an idle service, p50', 0, '≤ 1.5 ms', `${quantile(lone, 0.5).toFixed(1)} ms`],
      ...rowsOf('1,000 sends a second', full),
      // For machines with half the speed of the one that the goals come from: see the time of scrypt.
      ...rowsOf('500 sends a second', half),
      [
        'CPU of service and PostgreSQL per send and dispatch at 1,000 a second',
        0,
        '≤ 0.5 × the version without pacing, side by side',
        `${full.cpu.toFixed(0)} µs`,
      ],
      [
        'one scrypt with N = 2^17, the speed of this machine',
        0,
        '251 ms on the machine of the first figures',
        `${scryptMs.toFixed(0)} ms`,
      ],
      [
        'memory of the process at 1,000 a second',
        0,
        '≤ 250 MB',
        `${(full.memory / 1024 / 1024).toFixed(0)} MB`,
      ],
    );
    print('');
    const width = Math.max(...figures.map(([name]) => name.length));
    for (const [name, , goal, value] of figures)
      print(`${name.padEnd(width)}  ${value.padStart(8)}  (${goal})`);
  } finally {
    await embedded.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Turns at a steady rate: a collection of the whole heap or a pause of the generator can fill the slowest hundredth of one. */
const STEADY_TURNS = 5;

interface Steady {
  /** median of the turns' 99th percentiles, in ms */
  answersP99: number;
  waitsP99: number;
  /** of the service and PostgreSQL, in µs per send and dispatch */
  cpu: number;
  memory: number;
}

/** Sends at a steady rate to a service that dispatches too. */
async function atRate(
  env: Record<string, string>,
  dataDir: string,
  accounts: readonly Account[],
  perSecond: number,
): Promise<Steady> {
  const steady = await startSubject('subject.ts', ['works'], env);
  const turn = async (seconds: number) => {
    steady.waits.length = 0;
    const answers = await openLoop(steady.port, { perSecond, seconds, connections: 64 }, sender(accounts));
    await until(() => steady.waits.length >= answers.length, 10);
    const p99s = { answers: quantile(answers, 0.99), waits: quantile(steady.waits, 0.99) };
    return { ...p99s, sends: answers.length };
  };
  await turn(2);
  const cpuUs = async () => (await steady.cpu()) + postgresCpuUs(dataDir);
  const before = await cpuUs();
  const turns: Awaited<ReturnType<typeof turn>>[] = [];
  for (let n = 0; n < STEADY_TURNS; n++) turns.push(await turn(Math.max(5, SECONDS)));
  const cpu = ((await cpuUs()) - before) / turns.reduce((sum, { sends }) => sum + sends, 0);
  const memory = await steady.memory();
  await steady.stop();
  const median = (of: 'answers' | 'waits') =>
    quantile(
      turns.map((one) => one[of]),
      0.5,
    );
  return { answersP99: median('answers'), waitsP99: median('waits'), cpu, memory };
}

const rowsOf = (title: string, { answersP99, waitsP99 }: Steady): [string, number, string, string][] => [
  [`${title}: response p99`, 0, '≤ 25 ms', `${answersP99.toFixed(1)} ms`],
  [`${title}: queued to carrier p99`, 0, '≤ 60 ms', `${waitsP99.toFixed(0)} ms`],
];

function timeScrypt(): number {
  const began = performance.now();
  scryptSync('password', 'salt', 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 });
  return performance.now() - began;
}

const refusals = (refused: Map<number, number>): string =>
  refused.size === 0 ? '' : `(refused: ${[...refused].map(([status, n]) => `${n} × ${status}`).join(', ')})`;

const closedLoopOnce = (port: number, request: Prepared) => {
  let given: Prepared | undefined = request;
  return closedLoop(
    port,
    { connections: 1, seconds: 5 },
    () => {
      const once = given;
      given = undefined;
      return once;
    },
    201,
  );
};

if (process.argv.includes('--profile')) await printProfile(SECONDS);
else await main();
