/**
 * Applies one deliberate fault after another to a copy of the checkout and runs the tests that run its place:
 *
 *   npm run test:mutants                    the faults of `listed.tsv`
 *   npm run test:mutants -- payments/ masked   those whose file or promise contains one of these texts
 *   npm run test:mutants -- --random 200 --seed 7   200 faults at random places instead
 *   npm run test:mutants -- --list          files and promises
 *   npm run test:mutants -- --resume        skips those whose result is known and whose files have not changed
 *   npm run test:mutants -- --lanes 2       judges two at once
 *
 * Exit code 1 means that a listed fault survived or could not be judged; of random ones, that more than one in twenty survived.
 */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbedded } from '../../server/src/platform/db/embedded.ts';
import { keepTemplate, templateName } from '../../server/test/template.ts';
import { checkedFiles, copyCheckout } from './checkout.ts';
import { judge, type Result, Results } from './judge.ts';
import { listed, mutantsOf } from './listed.ts';
import type { Mutant } from './mutant.ts';
import { BrowserTests, CoveringTests } from './random/covering-tests.ts';
import { drawMutants } from './random/draw.ts';
import { measured } from './random/measured.ts';
import { runTests, type TestRun } from './test-run.ts';

const { values: options, positionals: names } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    random: { type: 'string' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '1' },
  },
  allowPositionals: true,
});

const TEMPLATE = templateName();
/** The share of effective random faults that must be noticed. */
const RANDOM_GOAL = 0.95;
const MARKS = { killed: '✓', survived: '✗', invalid: '?', 'no effect': '=' } as const;
const say = (line: string) => console.log(line);
const isNamed = ({ file, promise }: { file: string; promise: string }) =>
  names.length === 0 || names.some((text) => `${file} ${promise}`.includes(text));

if (options.list) {
  const some = listed.filter(isNamed);
  for (const { file, promise } of some) say(`${file}\n    ${promise}`);
  say(`\n${some.length} mutants`);
} else {
  process.exitCode = await judgeAll();
}

async function judgeAll(): Promise<number> {
  const began = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'sixdigit-mutants-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const roots = Array.from({ length: Number(options.lanes) }, (_, lane) => join(folder, `checkout-${lane}`));
  for (const root of roots) {
    mkdirSync(root);
    copyCheckout(root);
  }
  const [root = folder] = roots;
  await using database = await startDatabase(join(folder, 'data'));
  await keepTemplate(database.url);
  const runIn = (copy: string, wanted: Omit<TestRun, 'root' | 'databaseUrl'>) =>
    runTests({ root: copy, databaseUrl: database.url, ...wanted });

  const files = checkedFiles();
  const coverage = await measured(root, files, (wanted) => runIn(root, { template: TEMPLATE, ...wanted }));
  const tests = { covering: new CoveringTests(root, coverage), browser: new BrowserTests(root, files) };
  const chosen = options.random
    ? await drawMutants(root, { files, count: Number(options.random), seed: Number(options.seed) }, tests)
    : mutantsOf(root, listed.filter(isNamed), tests);
  const results = new Results(root, { resume: options.resume });
  const judged = new Map<Mutant, Result>();
  for (const mutant of chosen) {
    const known = results.find(mutant);
    if (known) judged.set(mutant, known);
  }
  const pending = chosen.filter((mutant) => !judged.has(mutant));
  const failing = new Map<string, string>();

  const queue = [...pending.entries()];
  const total = queue.length;
  await Promise.all(
    roots.map(async (copy) => {
      const by = {
        root: copy,
        template: TEMPLATE,
        failing,
        run: (tests: readonly string[], template: string | null, stopAtFirstFailure: boolean) =>
          runIn(copy, { tests, template, stopAtFirstFailure }),
      };
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [index, mutant] = next;
        const from = Date.now();
        const verdict = mutant.noEffect
          ? { verdict: 'no effect' as const, detail: mutant.noEffect }
          : await judge(mutant, by);
        const result: Result = { ...verdict, seconds: Math.round((Date.now() - from) / 100) / 10 };
        if (result.verdict !== 'invalid') results.set(mutant, result);
        judged.set(mutant, result);
        say(`[${index + 1}/${total}] ${lineOf(mutant, result)}`);
      }
    }),
  );
  return summarise(judged, began);
}

async function startDatabase(dataDir: string): Promise<AsyncDisposable & { url: string }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, [Symbol.asyncDispose]: async () => {} };
  const log = { info: () => {}, error: console.error };
  const settings = { fsync: 'off', max_connections: '300' };
  const server = await startEmbedded({ dataDir, log, settings, superuser: true });
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop() };
}

/** Returns the exit code. */
function summarise(judged: ReadonlyMap<Mutant, Result>, began: number): number {
  const those = (verdict: Result['verdict']) =>
    [...judged].filter(([, result]) => result.verdict === verdict);
  for (const verdict of ['survived', 'invalid'] as const) {
    const some = those(verdict);
    if (some.length > 0) say(`\n${verdict}:`);
    for (const [mutant, result] of some) say(`  ${lineOf(mutant, result)}\n      ${changeOf(mutant)}`);
  }
  const counts = (['killed', 'survived', 'invalid', 'no effect'] as const).map(
    (verdict) => `${those(verdict).length} ${verdict}`,
  );
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  const killed = those('killed').length;
  const effective = judged.size - those('no effect').length;
  const share = ((100 * killed) / effective).toFixed(1);
  say(`\n${judged.size} mutants: ${counts.join(', ')}, in ${minutes} minutes. Noticed: ${share} %`);
  return killed >= effective * (options.random ? RANDOM_GOAL : 1) ? 0 : 1;
}

function lineOf({ name }: Mutant, { verdict, detail, seconds }: Result): string {
  return `${MARKS[verdict]} ${verdict.padEnd(9)} ${seconds.toFixed(1).padStart(6)} s  ${name}  (${detail.slice(0, 240)})`;
}

function changeOf({ find, replace }: Mutant): string {
  return `- ${find.trim()}\n      + ${replace.trim()}`;
}
