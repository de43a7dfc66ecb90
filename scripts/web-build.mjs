import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { compressFiles } from './compress.mjs';
import { fail, node, root, run, say } from './run.mjs';

const dist = join(root, 'web', 'dist');
const stamp = join(dist, '.sources');

/** Whether web/dist is up to date with its sources. */
export function isWebBuilt() {
  if (!existsSync(join(root, 'web', 'index.html'))) return true;
  return existsSync(stamp) && textOf(stamp) === sourcesHash();
}

/**
 * Builds into a temporary folder and swaps it with web/dist, so that a failed or interrupted build leaves the last one intact.
 */
export async function buildWeb() {
  say('Building the dashboard …');
  const sources = sourcesHash();
  const fresh = join(root, '.cache', 'web-build');
  const old = join(root, '.cache', 'web-old');
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const args = [
    'build',
    '--config',
    'web/vite.config.ts',
    '--outDir',
    fresh,
    '--emptyOutDir',
    '--logLevel',
    'warn',
  ];
  const code = await run(node, [vite, ...args], { env: { NODE_ENV: 'production' } });
  if (code !== 0) fail('The dashboard could not be built: see above.');
  await compressFiles(fresh);
  writeFileSync(join(fresh, '.sources'), sources);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

/** An error from reading a folder does not name the path. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw Object.assign(error, { path });
  }
}

function sourcesHash() {
  const files = [
    join(root, 'package-lock.json'),
    join(root, 'scripts', 'compress.mjs'),
    ...filesIn(join(root, 'web')),
    ...filesIn(join(root, 'contract')),
  ];
  const hash = createHash('sha256');
  for (const file of files) {
    const text = readFileSync(file);
    hash.update(`${relative(root, file)} ${text.length}\n`).update(text);
  }
  return hash.digest('hex');
}

/** The source files, without build output and tests. */
function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !/^\.|^dist$|^e2e$|^node_modules$|\.test\.tsx?$/.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path) : [path];
    });
}
