import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, node, root, run } from './run.mjs';

/**
 * Runs `npm test` with a shifted clock: `npm run test:clock -- 7` for seven hours later. Every process of the run, including
 * PostgreSQL and the browser, loads a library that shifts the wall clock, through an /etc/ld.so.preload that only this run sees.
 */
const [hours = '7', ...args] = process.argv.slice(2);
if (process.platform !== 'linux' || process.getuid() !== 0)
  fail('This needs Linux and root, because it mounts a file.');
if (!/^-?\d+$/.test(hours)) fail('Give the number of hours: npm run test:clock -- 7');

const PRELOAD = '/etc/ld.so.preload';
const folder = mkdtempSync(join(tmpdir(), 'shifted-clock-'));
const library = join(folder, 'shifted-clock.so');
const list = join(folder, 'ld.so.preload');
chmodSync(folder, 0o755);
const source = join(root, 'scripts', 'shifted-clock.c');
const shift = `-DSHIFT_SECONDS=${Number(hours) * 3600}`;
execFileSync('cc', ['-shared', '-fPIC', '-O2', shift, '-o', library, source], { stdio: 'inherit' });
writeFileSync(list, `${library}\n`);
// a bind mount requires an existing file
closeSync(openSync(PRELOAD, 'a'));
const inNamespace = `mount --bind "$1" ${PRELOAD}; shift; date; exec "$@"`;
const test = [node, join(root, 'scripts', 'test.mjs'), ...args];
process.exitCode = await run('unshare', ['--mount', 'sh', '-c', inNamespace, 'sh', list, ...test]);
rmSync(folder, { recursive: true, force: true });
