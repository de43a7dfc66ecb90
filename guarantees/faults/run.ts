import { carriers } from './carriers.ts';
import { connections } from './connections.ts';
import { databaseFrozen, databaseKilled, diskFull } from './database.ts';
import { migrations } from './migrations.ts';
import { expired, killed, stalled } from './processes.ts';
import { receivers } from './receivers.ts';
import { type Check, print, type Scenario, seconds } from './scenario.ts';
import { rolling, stopped } from './stopping.ts';
import { waiting } from './waiting.ts';

/**
 * Fault injection: real processes on a real PostgreSQL under steady sends and verifies, one kind of fault per scenario. The load
 * generator records every response. Each scenario then audits the database and the carrier against what was acknowledged.
 */
const SCENARIOS: readonly Scenario[] = [
  killed,
  stalled,
  expired,
  databaseKilled,
  databaseFrozen,
  connections,
  diskFull,
  migrations,
  stopped,
  rolling,
  carriers,
  waiting,
  receivers,
];

async function main(names: readonly string[]): Promise<boolean> {
  const unknown = names.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    print(`Unknown scenario ${unknown.join(', ')}. Use: ${SCENARIOS.map(({ name }) => name).join(', ')}`);
    return false;
  }
  const chosen = SCENARIOS.filter(({ name }) => names.length === 0 || names.includes(name));
  const began = Date.now();
  const all: { name: string; checks: Check[] }[] = [];
  for (const { name, injects, run } of chosen) {
    const from = Date.now();
    print(`\n${name}: ${injects}`);
    const checks = await run().catch((error: unknown): Check[] => [
      { what: 'the scenario', promised: 'finishes', seen: String(error), holds: false },
    ]);
    for (const { what, promised, seen, holds } of checks)
      print(`  ${holds ? 'holds ' : 'BROKEN'}  ${what}: ${seen} (${promised})`);
    print(`  ${seconds(Date.now() - from)}`);
    all.push({ name, checks });
  }
  table(all);
  print(`\n${seconds(Date.now() - began)} in all`);
  return all.every(({ checks }) => checks.every(({ holds }) => holds));
}

/** Prints one line per check of every scenario. */
function table(all: readonly { name: string; checks: readonly Check[] }[]): void {
  const rows = all.flatMap(({ name, checks }) => checks.map((check) => ({ name, ...check })));
  const width = (of: 'name' | 'what' | 'promised') => Math.max(...rows.map((row) => row[of].length));
  const widths = { name: width('name'), what: width('what'), promised: width('promised') };
  print('');
  for (const { name, what, promised, seen, holds } of rows)
    print(
      `${holds ? '✓' : '✗'} ${name.padEnd(widths.name)}  ${what.padEnd(widths.what)}  ${promised.padEnd(widths.promised)}  ${seen}`,
    );
}

process.exit((await main(process.argv.slice(2))) ? 0 : 1);
