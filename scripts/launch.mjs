import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { findOrInstallChromium, installDatabaseServers, prepareCluster } from './programs.mjs';
import { fail, node, root, run } from './run.mjs';

/** `node scripts/launch.mjs <program> …`: prepares the checkout for a program, then runs it with the remaining arguments. */
const PROGRAMS = {
  // For operators who start `server/src/main.ts` directly.
  build: { web: true },
  attacks: { file: 'guarantees/attacks/run.ts' },
  bench: { file: 'guarantees/bench/run.ts' },
  conformance: { file: 'guarantees/conformance/run.ts' },
  failover: { file: 'guarantees/failover/failover.ts', cluster: true },
  faults: { file: 'guarantees/faults/run.ts' },
  load: { file: 'guarantees/load/run.ts' },
  mail: { file: 'guarantees/mail/run.ts' },
  move: { file: 'guarantees/failover/move.ts', databaseServers: true },
  mutants: { file: 'guarantees/mutants/run.ts', web: true, browser: 'optional' },
  scale: { file: 'guarantees/scale/run.ts' },
  screenshots: { file: 'web/e2e/screenshots.ts', web: true, browser: 'required' },
  timing: { file: 'web/e2e/timing.ts', web: true, browser: 'required' },
};

const [name, ...args] = process.argv.slice(2);
const program = PROGRAMS[name];
if (!program) fail(`Unknown program ${name}. Use: ${Object.keys(PROGRAMS).join(', ')}`);
const { file, web = false, browser, databaseServers, cluster } = program;
// Printing a list needs neither a browser nor database servers.
const isListing = args.includes('--list');
if (databaseServers && !isListing) await installDatabaseServers();
const prefix = cluster && !isListing ? await prepareCluster() : [];
await prepare({ development: file !== undefined, web: web && !isListing });
const chromium = browser && !isListing ? await findOrInstallChromium() : undefined;
if (browser && !isListing && !chromium) {
  if (browser === 'required') fail('No Chromium could be found or installed.');
  console.log('No Chromium could be found or installed: mutants are judged without browser tests.');
}
const env = chromium ? { CHROMIUM_PATH: chromium } : {};
if (file) {
  const [command, ...line] = [...prefix, node, join(root, file), ...args];
  process.exitCode = await run(command, line, { env });
}
