import { carriers } from './carriers.ts';
import { connections } from './connections.ts';
import { databaseFrozen, databaseKilled, diskFull } from './database.ts';
import { migrations } from './migrations.ts';
import { expired, killed, stalled } from './processes.ts';
import { receivers } from './receivers.ts';
import { type Chapter, type Check, say, seconds } from './scenario.ts';
import { rolling, stopped } from './stopping.ts';

/**
 * The crash ring: real processes on a real PostgreSQL under steady sends and verifies, and one kind of fault a chapter. Whoever
 * asks remembers every answer; afterwards everything that was acknowledged is held against what is in the books and at the carrier.
 */
const CHAPTERS: readonly Chapter[] = [
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
  receivers,
];

async function main(names: readonly string[]): Promise<boolean> {
  const unknown = names.filter((name) => !CHAPTERS.some((chapter) => chapter.name === name));
  if (unknown.length > 0) {
    say(`No chapter ${unknown.join(', ')}. There are: ${CHAPTERS.map(({ name }) => name).join(', ')}`);
    return false;
  }
  const chosen = CHAPTERS.filter(({ name }) => names.length === 0 || names.includes(name));
  const began = Date.now();
  const all: { name: string; checks: Check[] }[] = [];
  for (const { name, injects, run } of chosen) {
    const from = Date.now();
    say(`\n${name}: ${injects}`);
    const checks = await run().catch((error: unknown): Check[] => [
      { what: 'the chapter', promised: 'comes to its end', seen: String(error), holds: false },
    ]);
    for (const { what, promised, seen, holds } of checks)
      say(`  ${holds ? 'holds ' : 'BROKEN'}  ${what}: ${seen} (${promised})`);
    say(`  ${seconds(Date.now() - from)}`);
    all.push({ name, checks });
  }
  table(all);
  say(`\n${seconds(Date.now() - began)} in all`);
  return all.every(({ checks }) => checks.every(({ holds }) => holds));
}

/** A line for what every chapter looks at, and one for each figure of its own. */
function table(all: readonly { name: string; checks: readonly Check[] }[]): void {
  const rows = all.flatMap(({ name, checks }) => checks.map((check) => ({ name, ...check })));
  const width = (of: 'name' | 'what' | 'promised') => Math.max(...rows.map((row) => row[of].length));
  const widths = { name: width('name'), what: width('what'), promised: width('promised') };
  say('');
  for (const { name, what, promised, seen, holds } of rows)
    say(
      `${holds ? '✓' : '✗'} ${name.padEnd(widths.name)}  ${what.padEnd(widths.what)}  ${promised.padEnd(widths.promised)}  ${seen}`,
    );
}

process.exit((await main(process.argv.slice(2))) ? 0 : 1);
