import { createReport } from '../harness/report.ts';
import type { Attack } from './attack.ts';
import { dressedAddresses } from './dressed-addresses.ts';
import { exposure } from './exposure.ts';
import { guessing } from './guessing.ts';
import { heldPlaces } from './held-places.ts';
import { lockOut } from './lock-out.ts';
import { mailHeaders } from './mail-headers.ts';
import { neighbours } from './neighbours.ts';
import { otherAccounts } from './other-accounts.ts';
import { ownTexts } from './own-texts.ts';
import { purchases } from './purchases.ts';
import { sms } from './sms.ts';
import { startUp } from './start-up.ts';
import { startTarget } from './target.ts';

/** Runs the attacks on a running instance over HTTP, one after the other. Command-line arguments select subjects. */
const SUBJECTS: Record<string, readonly Attack[]> = {
  'start-up': startUp,
  sms,
  'own-texts': ownTexts,
  guessing,
  'mail-headers': mailHeaders,
  exposure,
  'dressed-addresses': dressedAddresses,
  'other-accounts': otherAccounts,
  'lock-out': lockOut,
  'held-places': heldPlaces,
  neighbours,
  purchases,
};

const { print, figure, finish } = createReport();

async function main(names: readonly string[]): Promise<boolean> {
  const unknown = names.filter((name) => !(name in SUBJECTS));
  if (unknown.length > 0) {
    print(`Unknown subject ${unknown.join(', ')}. Use: ${Object.keys(SUBJECTS).join(', ')}`);
    return false;
  }
  const chosen = Object.entries(SUBJECTS).filter(([name]) => names.length === 0 || names.includes(name));
  const began = performance.now();
  const secondsFrom = (ms: number) => `${((performance.now() - ms) / 1_000).toFixed(1)} s`;
  await using target = await startTarget();
  print(`target ready after ${secondsFrom(began)}`);
  for (const [subject, attacks] of chosen) {
    print(`\n${subject}`);
    for (const { name, promise, run } of attacks) {
      const from = performance.now();
      const { measured, holds } = await run(target).catch((error: unknown) => ({
        measured: `the attack failed: ${error}`,
        holds: false,
      }));
      figure(name, promise, `${measured} (${secondsFrom(from)})`, holds);
    }
  }
  print(`\n${secondsFrom(began)} in all`);
  for (const [text, count] of target.fleet.problems) print(`  ${count} × ${text}`);
  const crashes = [...target.fleet.problems].filter(([text]) => text.includes('ended'));
  figure('processes of the service that ended', '0', crashes.join(', ') || '0', crashes.length === 0);
  return finish();
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
