import { createHash, randomBytes } from 'node:crypto';
import { chownSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal, readIfAny } from '../file-problem.ts';
import { clusterArgument, postgresProblem } from './embedded-postmaster.ts';
import { type Programs, run, type SystemUser } from './embedded-programs.ts';

/**
 * The roles of the embedded server. The service's role owns its database and has hardly any other privilege. Backups use a role
 * that may copy the cluster. The superuser has no password and is used only here, in single-user mode.
 */
export const SERVICE_ROLE = 'sixdigit';
export const BACKUP_ROLE = 'sixdigit_backup';
export const SUPERUSER = 'postgres';
const DATABASE = 'sixdigit';
/** Checkpoints retain this much WAL for reuse. */
export const MIN_WAL_SIZE = '512MB';

export interface RoleOwner {
  dataDir: string;
  user: SystemUser;
  programs: Programs;
}

export const passwordFile = (dataDir: string) => join(dataDir, 'postgres-password');
/**
 * A file in the cluster, so that backups contain it. It records that the roles are up to date and have the password with this
 * hash. The password is 24 random bytes, so its hash reveals nothing.
 */
const marker = (cluster: string) => join(cluster, 'sixdigit-roles');
const markOf = (password: string) => `1 ${createHash('sha256').update(password).digest('hex')}\n`;

/** The roles' password. Undefined if there is none or if a crash has damaged the file. */
function readPassword(dataDir: string): string | undefined {
  const text = readIfAny(passwordFile(dataDir))?.trim() ?? '';
  return /^[\w-]{12,100}$/.test(text) ? text : undefined;
}

/** Creates the roles and the database if they are missing, and sets the stored password or a new one. */
export async function ensureRoles(owner: RoleOwner, cluster: string): Promise<void> {
  const stored = readPassword(owner.dataDir);
  if (stored && readIfAny(marker(cluster)) === markOf(stored)) return;
  const password = stored ?? randomBytes(24).toString('base64url');
  await asSuperuser(owner, cluster, [
    CREATE_ROLES,
    `alter role ${SERVICE_ROLE} password '${password}'`,
    `alter role ${BACKUP_ROLE} password '${password}'`,
    `create database ${DATABASE} owner ${SERVICE_ROLE}`,
    `alter database ${DATABASE} owner to ${SERVICE_ROLE}`,
  ]);
  if (password !== stored) writeWhole(passwordFile(owner.dataDir), password);
  writeWhole(marker(cluster), markOf(password));
  if (owner.user) chownSync(marker(cluster), owner.user.uid, owner.user.gid);
}

/** Writes the file completely or not at all. */
function writeWhole(path: string, text: string): void {
  const unfinished = `${path}.new`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600, flush: true });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

const SEGMENTS_AHEAD = 8;

/**
 * Creates WAL segments (16 MB each) ahead of time, so that commits in the first minutes do not wait while a segment is created.
 * The checkpoint recycles the segments that were switched away from for future use, up to `min_wal_size`.
 */
export async function createWalAhead(owner: RoleOwner, cluster: string): Promise<void> {
  const leaveSegment = `select pg_switch_wal() from pg_logical_emit_message(false, 'sixdigit', '')`;
  await asSuperuser(owner, cluster, [
    ...Array.from({ length: SEGMENTS_AHEAD }, () => leaveSegment),
    'checkpoint',
  ]);
}

/** Gives the superuser a password for this run, for tests that manage databases and roles. */
export async function letSuperuserIn(owner: RoleOwner, cluster: string): Promise<string> {
  const password = randomBytes(24).toString('base64url');
  await asSuperuser(owner, cluster, [`alter role ${SUPERUSER} password '${password}'`]);
  return password;
}

/** Statements of one line each, run in PostgreSQL's single-user mode. */
async function asSuperuser(
  { user, programs }: RoleOwner,
  cluster: string,
  statements: string[],
): Promise<void> {
  const done = await run(
    programs.postgres,
    ['--single', '-D', clusterArgument(cluster, user), '-c', `min_wal_size=${MIN_WAL_SIZE}`, 'postgres'],
    {
      user,
      cwd: cluster,
      input: statements.map((text) => `${text.replace(/\s+/g, ' ').trim()}\n`).join(''),
    },
  );
  const failed = done.output
    .split('\n')
    .find((line) => /(?:ERROR|FATAL|PANIC):/.test(line) && !/database "\w+" already exists/.test(line));
  if (done.code !== 0 || failed)
    throw new Refusal(
      postgresProblem('PostgreSQL could not set up its roles', failed ?? done.output, { cluster }),
    );
}

const CREATE_ROLES = `do $$ begin
  if not exists (select from pg_roles where rolname = '${SERVICE_ROLE}') then
    create role ${SERVICE_ROLE} login;
  end if;
  if not exists (select from pg_roles where rolname = '${BACKUP_ROLE}') then
    create role ${BACKUP_ROLE} login replication;
  end if;
  grant pg_read_all_settings to ${SERVICE_ROLE};
end $$`;
