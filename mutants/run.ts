import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbedded } from '../server/src/platform/db/embedded.ts';
import { createTemplate } from '../server/test/template.ts';
import { mutants } from './all.ts';
import { applyMutant, copyCheckout, occurrences } from './checkout.ts';
import type { Mutant } from './mutant.ts';
import { type Result, Results } from './results.ts';
import { runTests } from './test-run.ts';

/**
 * Applies one deliberate fault after another to a copy of the checkout and runs the tests that must detect it:
 *
 *   npm run test:mutants                    all of them
 *   npm run test:mutants -- money 'codes:'  the mutants whose name or file contains one of these texts
 *   npm run test:mutants -- --list          names and promises
 *   npm run test:mutants -- --resume        skips those whose result is known and whose files have not changed
 *   npm run test:mutants -- --no-baseline   skips the run without a fault, which finds tests that fail anyway
 *
 * Exit code 1 means that a mutant survived or could not be judged.
 */
const { values: options, positionals: names } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    'no-baseline': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

const TEMPLATE = 'sixdigit_mutants_template';
const MARKS = { killed: '✓', survived: '✗', invalid: '?' } as const;
const say = (line: string) => console.log(line);
const chosen = mutants.filter(
  ({ name, file }) => names.length === 0 || names.some((text) => name.includes(text) || file.includes(text)),
);

if (options.list) {
  for (const { name, promise, file } of chosen) say(`${name}\n    ${promise}\n    ${file}`);
  say(`\n${chosen.length} mutants`);
} else {
  process.exitCode = await judgeAll();
}

async function judgeAll(): Promise<number> {
  const began = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'sixdigit-mutants-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const root = join(folder, 'checkout');
  mkdirSync(root);
  copyCheckout(root);
  const results = new Results(root, { resume: options.resume });
  const judged = new Map<Mutant, Result>();
  for (const mutant of chosen) {
    const known = results.find(mutant);
    if (known) judged.set(mutant, known);
  }
  const pending = chosen.filter((mutant) => !judged.has(mutant));
  await using database = await startDatabase(join(folder, 'data'));
  await createTemplate(database.url, TEMPLATE);
  const run = (tests: readonly string[], template: string | null, stopAtFirstFailure: boolean) =>
    runTests({ root, tests, databaseUrl: database.url, template, stopAtFirstFailure });

  const failing = await findFailing(pending, (tests) => run(tests, TEMPLATE, false));
  for (const [index, mutant] of pending.entries()) {
    const from = Date.now();
    const verdict = await judge(mutant, failing, root, run);
    const result: Result = { ...verdict, seconds: Math.round((Date.now() - from) / 100) / 10 };
    if (result.verdict !== 'invalid') results.set(mutant, result);
    judged.set(mutant, result);
    say(`[${index + 1}/${pending.length}] ${lineOf(mutant, result)}`);
  }
  return summarise(judged, began);
}

type Run = (
  tests: readonly string[],
  template: string | null,
  stopAtFirstFailure: boolean,
) => ReturnType<typeof runTests>;

async function judge(
  mutant: Mutant,
  failing: ReadonlyMap<string, string>,
  root: string,
  run: Run,
): Promise<Omit<Result, 'seconds'>> {
  const count = occurrences(mutant, root);
  if (count !== 1) return { verdict: 'invalid', detail: `the text occurs ${count} times in ${mutant.file}` };
  const unfit = mutant.tests.find((test) => failing.has(test));
  if (unfit) return { verdict: 'invalid', detail: `fails without the fault: ${failing.get(unfit)}` };
  using _fault = applyMutant(mutant, root);
  const outcome = await run(mutant.tests, mutant.file.endsWith('.sql') ? null : TEMPLATE, true);
  if ('output' in outcome)
    return { verdict: 'invalid', detail: `the tests did not start or end: ${lastLines(outcome.output)}` };
  const [failed] = outcome.failed;
  if (failed) return { verdict: 'killed', detail: `${failed.test}: ${failed.error}` };
  const [broken] = outcome.broken;
  if (broken) return { verdict: 'invalid', detail: `failed outside a test: ${broken.file} ${broken.error}` };
  if (outcome.passed === 0) return { verdict: 'invalid', detail: 'no test ran' };
  return { verdict: 'survived', detail: `${outcome.passed} tests passed` };
}

/** Test files that fail without a fault and therefore cannot judge a mutant, with the reason. */
async function findFailing(
  pending: readonly Mutant[],
  run: (tests: readonly string[]) => ReturnType<typeof runTests>,
): Promise<ReadonlyMap<string, string>> {
  const tests = [...new Set(pending.flatMap((mutant) => mutant.tests))];
  if (options['no-baseline'] || tests.length === 0) return new Map();
  say(`${pending.length} mutants. First the ${tests.length} test files without any fault …`);
  const from = Date.now();
  const outcome = await run(tests);
  if ('output' in outcome)
    throw new Error(`The tests do not run without a fault: ${lastLines(outcome.output)}`);
  const failing = new Map<string, string>();
  for (const { file, test, error } of outcome.failed) failing.set(file, `${test}: ${error}`);
  for (const { file, error } of outcome.broken) failing.set(file, error);
  for (const [file, why] of failing) say(`  fails without a fault: ${file} ${why}`);
  say(`  ${outcome.passed} tests passed in ${Math.round((Date.now() - from) / 1000)} s\n`);
  return failing;
}

async function startDatabase(dataDir: string): Promise<AsyncDisposable & { url: string }> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given, [Symbol.asyncDispose]: async () => {} };
  const log = { info: () => {}, error: console.error };
  const server = await startEmbedded({ dataDir, log, settings: { fsync: 'off' }, superuser: true });
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop() };
}

/** Returns the exit code. */
function summarise(judged: ReadonlyMap<Mutant, Result>, began: number): number {
  const those = (verdict: Result['verdict']) =>
    [...judged].filter(([, result]) => result.verdict === verdict);
  for (const verdict of ['survived', 'invalid'] as const) {
    const some = those(verdict);
    if (some.length > 0) say(`\n${verdict}:`);
    for (const [mutant, result] of some) say(`  ${lineOf(mutant, result)}\n      ${mutant.promise}`);
  }
  const counts = (['killed', 'survived', 'invalid'] as const).map(
    (verdict) => `${those(verdict).length} ${verdict}`,
  );
  const minutes = ((Date.now() - began) / 60_000).toFixed(1);
  say(`\n${judged.size} mutants: ${counts.join(', ')}, in ${minutes} minutes`);
  return those('killed').length === judged.size ? 0 : 1;
}

function lineOf({ name }: Mutant, { verdict, detail, seconds }: Result): string {
  return `${MARKS[verdict]} ${verdict.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s  ${name}  (${detail.slice(0, 240)})`;
}

const lastLines = (output: string): string => output.trim().split('\n').slice(-6).join(' | ');
