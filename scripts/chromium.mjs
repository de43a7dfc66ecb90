import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { bin, fail, machinePath, node, root, run } from './run.mjs';

const downloadLimitSeconds = 300;

/** Debian's headless build takes half the CPU time of the full browser. */
const HEADLESS_SHELL = 'chromium-headless-shell';

/** Finds a Chromium for the browser tests: an installed one, else Debian's headless build, Playwright's or Debian's full one. */
export async function findOrInstallChromium() {
  return (
    findChromium() ??
    (await installFromDebian(HEADLESS_SHELL)) ??
    (await downloadChromium()) ??
    (await installFromDebian('chromium'))
  );
}

function findChromium() {
  const names = [HEADLESS_SHELL, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  return [process.env.CHROMIUM_PATH, ...names.map(pathOf), playwrightsChromium()].find(works);
}

async function downloadChromium() {
  console.log('No Chromium found. Installing the Playwright build …');
  const limit = ['-k', '5', String(downloadLimitSeconds)];
  const download = [bin('playwright-core'), 'install', 'chromium'];
  const env = { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '15000' };
  if (pathOf('timeout')) await run('timeout', [...limit, ...download], { env });
  else await run(download[0], download.slice(1), { env });
  return [playwrightsChromium()].find(works);
}

async function installFromDebian(name) {
  if (process.getuid?.() !== 0 || !pathOf('apt-get')) return undefined;
  console.log(`Installing the Debian package ${name} …`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env });
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], { env });
  return [pathOf(name)].find(works);
}

function playwrightsChromium() {
  const require = createRequire(join(root, 'package.json'));
  return require('playwright-core').chromium.executablePath();
}

function pathOf(name) {
  const folders = machinePath.split(':').map((folder) => join(folder, name));
  return folders.find(existsSync);
}

/** A downloaded browser may lack system libraries. */
function works(path) {
  if (!path || !existsSync(path)) return false;
  try {
    execFileSync(path, ['--version', '--no-sandbox'], { stdio: 'ignore', timeout: 30_000 });
    return true;
  } catch {
    return false;
  }
}

/** Runs a script that drives a browser against the built dashboard. */
export async function runInBrowser(script) {
  await prepare({ development: true, web: true });
  const chromium = await findOrInstallChromium();
  if (!chromium) fail('No Chromium could be found or installed.');
  const env = { CHROMIUM_PATH: chromium };
  process.exitCode = await run(node, [join(root, script), ...process.argv.slice(2)], { env });
}
