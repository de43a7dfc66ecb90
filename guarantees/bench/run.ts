/**
 * Ratios within one run, so that they compare across machines. All commits are durable. The load generator runs on the same cores.
 */

import { scryptSync } from 'node:crypto';
import {
  type Account,
  clearQueue,
  fillAccounts,
  foldCounters,
  restoreRules,
  switchCounters,
  switchRulesOff,
} from '../harness/accounts.ts';
import {
  closedLoop,
  nextPhone,
  openLoop,
  type Prepared,
  quantile,
  sender,
  verifyRequest,
} from '../harness/load.ts';
import { SECRET_KEY, startDatabase } from '../harness/processes.ts';
import { type Check, countsOf, print, runScenarios, type Scenario, shown, wait } from '../harness/run.ts';
import { compareWith } from './against.ts';
import { onesPerSecond } from './batches-of-one.ts';
import { dispatchedCodes, wholeLives } from './lives.ts';
import { printProfile } from './profile.ts';
import { postgresCpuUs, startSubject, until } from './running-subject.ts';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
/** Durations for comparisons that alternate between two variants. */
const WARM_SECONDS = 0.3;
const TURN_SECONDS = 1.2;
const VERIFY_PAIRS = 9;
const FIELD_PAIRS = 15;

const DESCRIBED = { channel: 'sms', locale: 'pt-BR', metadata: { order: '4711', source: 'sign-up' } };

const bench: Scenario = {
  name: 'bench',
  about: 'throughput and latency, as ratios within one run',
  async *run(cleanup) {
    const { url, dataDir } = await startDatabase(cleanup);
    const env = { DATABASE_URL: url, SECRET_KEY, PUBLIC_URL: 'http://bench.localhost' };
    const many = await fillAccounts(url, { accounts: 1000, keysEach: 1 });
    const withWebhooks = await fillAccounts(url, { accounts: 1000, keysEach: 1, webhooks: true });
    const hot = await fillAccounts(url, { accounts: 1, keysEach: 1000 });
    const load = { connections: 64, seconds: SECONDS };
    const scryptMs = quantile([1, 2, 3, 4, 5].map(timeScrypt), 0.5);

    print('bare route of the framework …');
    const bare = await startSubject('bare.ts', [], {});
    await closedLoop(bare.port, { ...load, seconds: 2 }, sender(many), 200);
    const bareRate = (await closedLoop(bare.port, load, sender(many), 200)).rate;
    await bare.stop();
    print(`  ${bareRate.toFixed(0)}/s`);

    print('the same sends in batches of one, 16 connections …');
    const ones = await onesPerSecond(url, SECRET_KEY, many, SECONDS, nextPhone);
    print(`  ${ones.toFixed(0)}/s`);

    print('sends over HTTP …');
    const api = await startSubject('subject.ts', ['api'], env);
    await closedLoop(api.port, { ...load, seconds: 2 }, sender(many), 201);
    const sends = await closedLoop(api.port, load, sender(many), 201);
    print(`  ${sends.rate.toFixed(0)}/s over 1,000 accounts ${refusals(sends.refused)}`);
    const hotSends = await closedLoop(api.port, load, sender(hot), 201);
    print(`  ${hotSends.rate.toFixed(0)}/s on one account ${refusals(hotSends.refused)}`);

    const lone: number[] = [];
    // One sender, so that no key reaches its rate limit: a refusal takes less time than a send.
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
    // In a sandbox all rules only monitor, which costs as much as blocking.
    const rules = await ratioInTurns(() => rateOver(2), {
      pairs: 9,
      // Processes read the rules every second.
      settleMs: 1_500,
      on: () => restoreRules(url, many),
      off: () => switchRulesOff(url, many),
    });
    print(`  ${rules.on.toFixed(0)}/s and ${rules.off.toFixed(0)}/s`);

    print('sends over HTTP with and without counters for insights, in turns …');
    const counters = await ratioInTurns(
      async (state) => {
        // After the switch, every connection plans its statements again.
        await rateOver(WARM_SECONDS);
        // Turns with counters include the cost of adding them up.
        const fold = state === 'on' ? wait(TURN_SECONDS * 500).then(() => foldCounters(url)) : undefined;
        const rate = await rateOver(TURN_SECONDS);
        await fold;
        return rate;
      },
      {
        pairs: 21,
        settleMs: 0,
        on: () => switchCounters(url, 'enable'),
        off: () => switchCounters(url, 'disable'),
      },
    );
    print(`  ${counters.on.toFixed(0)}/s and ${counters.off.toFixed(0)}/s`);

    const against = async (what: string, fields: object) => {
      print(`sends ${what} and plain ones, in turns …`);
      const turn = { ...load, seconds: TURN_SECONDS };
      const compare = { on: sender(many, fields), off: sender(many) };
      const rates = await ratioInTurns(
        async (state) => (await closedLoop(compared.port, turn, compare[state], 201)).rate,
        { pairs: FIELD_PAIRS, settleMs: 0 },
      );
      print(`  ${rates.on.toFixed(0)}/s and ${rates.off.toFixed(0)}/s`);
      return rates.ratio;
    };
    const described = await against('with a language and metadata', DESCRIBED);
    const planned = await against('with a plan', { channels: ['whatsapp', 'sms', 'voice'] });
    await compared.stop();

    print('whole lives …');
    await clearQueue(url);
    const service = await startSubject('subject.ts', ['works'], env);
    const lives = await wholeLives(service, withWebhooks, SECONDS);
    print(`  ${lives.toFixed(0)}/s`);

    print('verifies over HTTP and sends, in turns …');
    // Verifies are faster than sends. A turn that runs out of codes ends early.
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
    // Otherwise these messages would be dispatched during the next measurements.
    await clearQueue(url);
    print(`  ${verifies.on.toFixed(0)}/s and ${verifies.off.toFixed(0)}/s`);

    print('500 sends a second …');
    const half = await atRate(env, dataDir, many, 500);
    print('1,000 sends a second …');
    const full = await atRate(env, dataDir, many, 1000);

    yield* [
      ratio('durable sends over HTTP ÷ sends in batches of one, 16 connections', '≥ 2.5', sends.rate / ones),
      ratio('the same ÷ a bare route of the framework', '≥ 0.15', sends.rate / bareRate),
      ratio('all rules on destinations on ÷ off', '≥ 0.9', rules.ratio),
      ratio('counters for insights with ÷ without', '≥ 0.95', counters.ratio),
      ratio('sends with a language and metadata ÷ plain ones', '≥ 0.97', described),
      ratio('sends with a plan of three channels ÷ plain ones', '≥ 0.85', planned),
      ratio('one hot account ÷ 1,000 accounts', '≥ 0.95', hotSends.rate / sends.rate),
      ratio('verifies over HTTP ÷ sends over HTTP', '≥ 1.2', verifies.ratio),
      ratio('whole lives ÷ sends in batches of one', '≥ 1.2', lives / ones),
      shown('a lone send on an idle service, p50', `${quantile(lone, 0.5).toFixed(1)} ms`, '≤ 1.5 ms'),
      ...latencies('1,000 sends a second', full),
      // The goals allow for machines with half the speed of the reference machine; compare the time of scrypt.
      ...latencies('500 sends a second', half),
      shown(
        'CPU of service and PostgreSQL per send and dispatch at 1,000 a second',
        `${full.cpu.toFixed(0)} µs`,
        '≤ 0.5 × the version without pacing, side by side',
      ),
      shown(
        'one scrypt with N = 2^17, the speed of this machine',
        `${scryptMs.toFixed(0)} ms`,
        '251 ms on the machine of the first figures',
      ),
      shown(
        'memory of the process at 1,000 a second',
        `${(full.memory / 1024 / 1024).toFixed(0)} MB`,
        '≤ 250 MB',
      ),
    ];
  },
};

interface Turns {
  /** An odd number, so that the median is one of them. A comparison lasts twice as many turns. */
  pairs: number;
  /** the time until a switch has reached every process and connection */
  settleMs: number;
  on?(): Promise<void>;
  off?(): Promise<void>;
}

/**
 * Compares the rates of two kinds of work, or with and without a feature: the median of the ratios of neighboring turns. A
 * machine's rate drifts by a tenth within seconds but hardly between two short turns. Every other pair begins with `off`, which
 * cancels a steady drift, such as growing tables. The median excludes turns during a vacuum or a checkpoint.
 */
async function ratioInTurns(
  rate: (state: 'on' | 'off') => Promise<number>,
  { pairs, settleMs, ...switches }: Turns,
): Promise<{ ratio: number; on: number; off: number }> {
  const rates: Record<'on' | 'off', number[]> = { on: [], off: [] };
  for (let pair = 0; pair < pairs; pair++)
    for (const state of pair % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      await switches[state]?.();
      await wait(settleMs);
      rates[state].push(await rate(state));
    }
  const ratios = rates.on.map((on, pair) => on / (rates.off[pair] ?? Number.NaN));
  return { ratio: quantile(ratios, 0.5), on: quantile(rates.on, 0.5), off: quantile(rates.off, 0.5) };
}

/** At a steady rate, one garbage collection or one pause of the load generator can dominate a turn's 99th percentile. */
const STEADY_TURNS = 5;

interface Steady {
  /** median of the turns' 99th percentiles, in ms */
  answersP99: number;
  waitsP99: number;
  /** CPU time of service and PostgreSQL, in µs per send and dispatch */
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

const ratio = (what: string, goal: string, value: number): Check => shown(what, value.toFixed(2), goal);

const latencies = (title: string, { answersP99, waitsP99 }: Steady): Check[] => [
  shown(`${title}: response p99`, `${answersP99.toFixed(1)} ms`, '≤ 25 ms'),
  shown(`${title}: queued to carrier p99`, `${waitsP99.toFixed(0)} ms`, '≤ 60 ms'),
];

function timeScrypt(): number {
  const began = performance.now();
  scryptSync('password', 'salt', 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 });
  return performance.now() - began;
}

const refusals = (refused: Map<number, number>): string =>
  refused.size === 0 ? '' : `(refused: ${countsOf(refused)})`;

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

const against = process.argv.indexOf('--against');
if (process.argv.includes('--profile')) await printProfile(SECONDS);
else if (against > 0) await compareWith(process.argv[against + 1] ?? 'HEAD~1');
else await runScenarios([bench]);
