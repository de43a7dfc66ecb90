import { existsSync } from 'node:fs';
import { prepare } from './prepare.mjs';
import { fail, node, run } from './run.mjs';

/** Debian's packages: the oldest supported PostgreSQL and a PgBouncer without prepared statements. */
const isInstalled = () => existsSync('/usr/lib/postgresql') && existsSync('/usr/sbin/pgbouncer');

if (!isInstalled()) {
  const packages = 'postgresql pgbouncer';
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    fail(`This needs Debian's packages ${packages}: install them, or run this as root on a Debian.`);
  console.log(`Installing Debian's packages ${packages} …`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env });
  await run('apt-get', ['install', '-y', '-qq', ...packages.split(' ')], { env });
  if (!isInstalled()) fail(`Debian's packages ${packages} could not be installed.`);
}
await prepare({ development: true });
process.exitCode = await run(node, ['move/run.ts', ...process.argv.slice(2)]);
