import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import {
  findOrInstallChromium,
  findOrInstallPython,
  installDeployPrograms,
  installFrameworks,
} from './programs.mjs';
import { compileCache, node, root, run } from './run.mjs';

/** `npm test -- --quick`: a selection of fast tests, without a browser. */
const QUICK = [
  'contract/',
  'web/src/',
  'server/test/architecture',
  'server/test/journey',
  'server/src/otp/send/decision',
  'server/src/otp/verify/decision',
  'server/src/otp/verify/verify.test',
];

const isQuick = process.argv.includes('--quick');
const wanted = process.argv.slice(2).flatMap((one) => (one === '--quick' ? QUICK : one));
await prepare({ development: true, web: !isQuick });
const chromium = isQuick ? undefined : await findOrInstallChromium();
if (!chromium && !isQuick)
  console.log('No Chromium was found or could be installed: the browser tests will fail.');
const python = isQuick ? undefined : await findOrInstallPython();
if (!python && !isQuick)
  console.log(
    'No Python with setuptools and wheel was found or could be installed: tests of the Python client will fail.',
  );
if (!isQuick) await installFrameworks();
if (!isQuick) await installDeployPrograms();

const folder = mkdtempSync(join(tmpdir(), 'test-counts-'));
const countsFile = join(folder, 'counts.json');
const env = {
  TEST_COUNTS_FILE: countsFile,
  NODE_ENV: 'test',
  // The first of hundreds of processes compiles the packages, and the others load the compiled code.
  NODE_COMPILE_CACHE: compileCache,
};
if (chromium) env.CHROMIUM_PATH = chromium;
if (python) env.PYTHON = python;
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts', 'test-counts.mjs')}`];
const code = await run(node, [vitest, 'run', ...reporters, ...wanted], { env });

const { passed, failed, skipped } = readCounts() ?? { passed: 0, failed: 1, skipped: 0 };
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = code || (failed ? 1 : 0);

function readCounts() {
  try {
    return JSON.parse(readFileSync(countsFile, 'utf8'));
  } catch {
    return undefined;
  }
}
