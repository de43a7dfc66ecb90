import { findOrInstallChromium } from './chromium.mjs';
import { prepare } from './prepare.mjs';
import { node, run } from './run.mjs';

const isListing = process.argv.includes('--list');
await prepare({ development: true, web: !isListing });
const chromium = isListing ? undefined : await findOrInstallChromium();
if (!chromium && !isListing)
  console.log('No Chromium was found or could be installed: browser tests judge nothing.');
process.exitCode = await run(node, ['guarantees/mutants/run.ts', ...process.argv.slice(2)], {
  env: chromium ? { CHROMIUM_PATH: chromium } : {},
});
