import { parseArgs } from 'node:util';

/** A measurement or count from a run. Without `holds`, it is only shown. */
export interface Check {
  what: string;
  promised: string;
  seen: string;
  holds?: boolean;
}

/** A part of a run that can be selected by name. `Shared` is opened once for all scenarios. */
export interface Scenario<Shared = void> {
  name: string;
  /** one line for the list and the report */
  about: string;
  /** Yields each check as soon as its value is known. `cleanup` is disposed of when the scenario ends. */
  run(cleanup: AsyncDisposableStack, shared: Shared): AsyncIterable<Check>;
}

type Opened<Shared> = (cleanup: AsyncDisposableStack) => Promise<Shared>;

/**
 * Runs the scenarios that the arguments name, or all of them. `--list` prints their names. Prints each check as soon as it is
 * known, and a table of all checks at the end. The exit code is 1 if a check fails.
 */
export async function runScenarios(scenarios: readonly Scenario[]): Promise<void>;
export async function runScenarios<Shared>(
  scenarios: readonly Scenario<Shared>[],
  open: Opened<Shared>,
): Promise<void>;
export async function runScenarios<Shared>(
  scenarios: readonly Scenario<Shared>[],
  open?: Opened<Shared>,
): Promise<void> {
  const { values, positionals: names } = parseArgs({
    options: { list: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  if (values.list) {
    for (const { name, about } of scenarios) print(`${name}: ${about}`);
    return;
  }
  const unknown = names.filter((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    print(`Unknown: ${unknown.join(', ')}. Use: ${scenarios.map(({ name }) => name).join(', ')}`);
    process.exitCode = 1;
    return;
  }
  const chosen = scenarios.filter(({ name }) => names.length === 0 || names.includes(name));
  const rows = await checksOf(chosen, open);
  printTable(rows, chosen.length > 1);
  process.exit(rows.every(({ holds }) => holds !== false) ? 0 : 1);
}

type Row = Check & { name: string };

async function checksOf<Shared>(
  scenarios: readonly Scenario<Shared>[],
  open: Opened<Shared> | undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  const began = performance.now();
  await using cleanup = new AsyncDisposableStack();
  const shared = (await open?.(cleanup)) as Shared;
  for (const { name, about, run } of scenarios) {
    const from = performance.now();
    const add = (check: Check) => {
      rows.push({ name, ...check });
      print(`  ${markOf(check)} ${check.what}: ${check.seen} (${check.promised})`);
    };
    print(`\n${name}: ${about}`);
    try {
      await using own = new AsyncDisposableStack();
      for await (const check of run(own, shared)) add(check);
    } catch (error) {
      add({ what: 'the scenario', promised: 'finishes', seen: String(error), holds: false });
    }
    print(`  ${seconds(performance.now() - from)}`);
  }
  print(`\n${seconds(performance.now() - began)} in all`);
  return rows;
}

const markOf = ({ holds }: Check): string => (holds === undefined ? ' ' : holds ? '✓' : '✗');

function printTable(rows: readonly Row[], withNames: boolean): void {
  const width = (of: 'name' | 'what' | 'seen') => Math.max(0, ...rows.map((row) => row[of].length));
  const widths = { name: width('name'), what: width('what'), seen: Math.min(width('seen'), 24) };
  print('');
  for (const row of rows) {
    const name = withNames ? `${row.name.padEnd(widths.name)}  ` : '';
    const { what, seen, promised } = row;
    print(`${markOf(row)} ${name}${what.padEnd(widths.what)}  ${seen.padEnd(widths.seen)}  (${promised})`);
  }
}

export const print = (text: string): void => console.log(text);
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export const check = (what: string, promised: string, seen: string, holds: boolean): Check => ({
  what,
  promised,
  seen,
  holds,
});

export const shown = (what: string, seen: string, promised = '-'): Check => ({ what, promised, seen });

/**
 * Checks that a count is zero. `of` is the number of examined cases. It must not be zero, because the check would then prove
 * nothing.
 */
export const none = (what: string, count: number, of?: number): Check =>
  check(what, '0', of === undefined ? String(count) : `${count} of ${of}`, count === 0 && of !== 0);

/** Checks that a duration does not exceed a limit, both in milliseconds. */
export const atMost = (what: string, mostMs: number, ms: number, text = seconds): Check =>
  check(what, `≤ ${text(mostMs)}`, text(ms), ms <= mostMs);

/** Checks that something happened, because a run without it proves nothing. */
export const some = (what: string, count: number): Check => check(what, '> 0', String(count), count > 0);

/** `3 × 503, 1 × lost` */
export const countsOf = (counts: Iterable<readonly [unknown, number]>): string =>
  [...counts].map(([what, count]) => `${count} × ${what}`).join(', ') || 'none';

/** Milliseconds until `holds` is true, or `mostMs` if it never is. */
export async function until(mostMs: number, holds: () => Promise<boolean>): Promise<number> {
  const from = Date.now();
  while (Date.now() - from < mostMs) {
    if (await holds().catch(() => false)) return Date.now() - from;
    await wait(100);
  }
  return mostMs;
}
