import { existsSync } from 'node:fs';
import { fail, run } from './run.mjs';

/** Debian's packages: the oldest supported PostgreSQL and a PgBouncer without prepared statements. */
const PACKAGES = ['postgresql', 'pgbouncer'];
const isInstalled = () => existsSync('/usr/lib/postgresql') && existsSync('/usr/sbin/pgbouncer');

/** Installs the database servers of Debian that a run needs, unless they are there. */
export async function needsDebianServers() {
  if (isInstalled()) return;
  const packages = PACKAGES.join(' ');
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    fail(`This needs Debian's packages ${packages}: install them, or run this as root on a Debian.`);
  console.log(`Installing Debian's packages ${packages} …`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env });
  await run('apt-get', ['install', '-y', '-qq', ...PACKAGES], { env });
  if (!isInstalled()) fail(`Debian's packages ${packages} could not be installed.`);
}
