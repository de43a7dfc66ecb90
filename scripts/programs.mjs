import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bin, fail, machinePath, root, run } from './run.mjs';

const downloadLimitSeconds = 300;

/** Debian's headless build takes half the CPU time of the full browser. */
const HEADLESS_SHELL = 'chromium-headless-shell';

/** Finds a Chromium for the browser tests. Installs Debian's headless build, Playwright's or Debian's full one if there is none. */
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
  if (!canInstallPackages()) return undefined;
  await installPackages('--no-install-recommends', name);
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

/** Fails unless this Python is new enough and can build packages without the network. */
const PYTHON_CHECK = `
import setuptools, setuptools.build_meta, sys
version = int(setuptools.__version__.split(".")[0])
if version < 70: import wheel
sys.exit(version < 61 or sys.version_info < (3, 9))`;

/** Finds a Python for the tests of the Python client. Installs Debian's if there is none. */
export async function findOrInstallPython() {
  const find = () => [process.env.PYTHON, pathOf('python3'), '/usr/bin/python3'].find(buildsPackages);
  const found = find();
  if (found || !canInstallPackages()) return found;
  await installPackages('--no-install-recommends', 'python3', 'python3-setuptools', 'python3-wheel');
  return find();
}

function buildsPackages(path) {
  if (!path) return false;
  try {
    execFileSync(path, ['-c', PYTHON_CHECK], { stdio: 'ignore', timeout: 30_000 });
    return true;
  } catch {
    return false;
  }
}

/** Debian's packages for the samples in Python and in PHP. */
const FRAMEWORKS = [
  ['python3-django', 'python3-fastapi', 'python3-itsdangerous', 'python3-uvicorn'],
  ['php-cli', 'php-curl', 'php-guzzlehttp-guzzle', 'php-laravel-framework'],
];

/** Installs Debian's frameworks if they are missing. Elsewhere the tests use those that they find, and skip the samples of others. */
export async function installFrameworks() {
  if (!canInstallPackages()) return;
  for (const names of FRAMEWORKS) {
    const missing = names.filter((name) => !isInstalled(name));
    if (missing.length > 0) await installPackages('--no-install-recommends', ...missing);
  }
}

/** Programs that the tests of `deploy` run: promtool on the alerts, HAProxy and psql on the router of cells. */
const DEPLOY_PROGRAMS = { promtool: 'prometheus', haproxy: 'haproxy', psql: 'postgresql-client' };

/** Installs Debian's packages of the programs for `deploy` if they are missing. */
export async function installDeployPrograms() {
  const missing = Object.keys(DEPLOY_PROGRAMS).filter((program) => !pathOf(program));
  if (missing.length > 0 && canInstallPackages())
    await installPackages('--no-install-recommends', ...missing.map((program) => DEPLOY_PROGRAMS[program]));
}

function isInstalled(name) {
  try {
    const status = execFileSync('dpkg-query', ['-W', '-f', '${Status}', name], { stdio: 'pipe' });
    return String(status) === 'install ok installed';
  } catch {
    return false;
  }
}

/** The oldest supported PostgreSQL, and a PgBouncer without prepared statements. */
const DATABASE_SERVERS = { postgresql: '/usr/lib/postgresql', pgbouncer: '/usr/sbin/pgbouncer' };
/** The programs of deploy/patroni. */
const CLUSTER_SERVERS = {
  ...DATABASE_SERVERS,
  patroni: '/usr/bin/patroni',
  'etcd-server': '/usr/bin/etcd',
  'etcd-client': '/usr/bin/etcdctl',
  haproxy: '/usr/sbin/haproxy',
};

/** Installs Debian's PostgreSQL and PgBouncer if they are missing. */
export const installDatabaseServers = () => installServers(DATABASE_SERVERS);

/** The command that runs a program in namespaces of its own, where it may build a network. Installs the servers that it starts there. */
export async function prepareCluster() {
  const isRoot = process.platform === 'linux' && process.getuid() === 0;
  if (!isRoot)
    fail(
      `This starts three machines in network namespaces, from Debian's packages ${Object.keys(CLUSTER_SERVERS).join(', ')}: run it as root on Debian.`,
    );
  await installServers(CLUSTER_SERVERS);
  const isolate = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const bridge = 'ip link add test0 type bridge && ip link set lo up';
  try {
    execFileSync('unshare', [...isolate, 'sh', '-c', bridge], { stdio: 'pipe' });
  } catch (error) {
    fail(
      `This needs the commands unshare and ip, and permission to create namespaces and bridges: ${error.message}`,
    );
  }
  // The shell reaps processes whose parent has ended.
  return ['unshare', ...isolate, 'sh', '-c', '"$@"; exit $?', 'sh'];
}

async function installServers(servers) {
  const missing = () => Object.keys(servers).filter((name) => !existsSync(servers[name]));
  const names = missing();
  if (names.length === 0) return;
  if (!canInstallPackages())
    fail(`This needs Debian's packages ${names.join(', ')}: install them, or run this as root on Debian.`);
  await installPackages('--no-install-recommends', ...names);
  if (missing().length > 0) fail(`Debian's packages ${missing().join(', ')} could not be installed.`);
  // Debian starts installed services. The tests start their own processes.
  const units = names.map((name) => name.replace(/-server$/, ''));
  if (existsSync('/run/systemd/system')) await run('systemctl', ['disable', '--now', ...units]);
}

const canInstallPackages = () => process.getuid?.() === 0 && Boolean(pathOf('apt-get'));

async function installPackages(...args) {
  console.log(`Installing Debian packages: ${args.filter((arg) => !arg.startsWith('-')).join(', ')} …`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env });
  await run('apt-get', ['install', '-y', '-qq', ...args], { env });
}
