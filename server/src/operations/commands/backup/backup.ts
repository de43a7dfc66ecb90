import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { backupUrl, type EmbeddedOptions, startEmbedded } from '../../../platform/db/embedded.ts';
import type { SystemUser } from '../../../platform/db/embedded-programs.ts';
import { Refusal } from '../../../platform/file-problem.ts';
import { type Piece, streamBaseBackup, unpackTar } from './base-backup.ts';

/** The secret files that a service started on the copy needs in addition to the cluster. */
const SECRETS = ['postgres-password', 'secret-key'];

/**
 * Copies the embedded database while the service runs. The copy is a complete data folder: a service started with DATA_DIR set
 * to it has every row committed before the backup began, and most rows committed during it. The folder gets its final name
 * last, so a folder with this name is complete.
 */
export async function backUpEmbedded(
  options: Pick<EmbeddedOptions, 'dataDir' | 'log'>,
  target: string,
): Promise<string> {
  const dataDir = resolve(options.dataDir);
  const folder = resolve(target);
  if (`${folder}/`.startsWith(`${join(dataDir, 'postgres')}/`))
    throw new Refusal('The backup cannot lie inside the database itself: name another folder.');
  if ((await readdir(folder).catch(() => [])).length > 0)
    throw new Refusal(`${folder} is not empty: name a folder that does not exist yet.`);
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await chmod(unfinished, 0o700);
  const embedded = await startEmbedded({ ...options, join: true });
  try {
    const cluster = join(unfinished, 'postgres');
    const owner = await ownerOf(join(dataDir, 'postgres'));
    await streamBaseBackup(backupUrl(embedded.url), async (pieces) => {
      const manifest: Buffer[] = [];
      await unpackTar(archiveOf(pieces, manifest), cluster, owner);
      await keep(join(cluster, 'backup_manifest'), Buffer.concat(manifest), owner);
    });
    for (const name of SECRETS) await copySecret(join(dataDir, name), join(unfinished, name));
    await syncFolder(unfinished);
    await rename(unfinished, folder);
    await syncFolder(dirname(folder));
    return folder;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  } finally {
    await embedded.stop();
  }
}

/** PostgreSQL refuses to run as root, so a copy made by root gets the original's owner. */
async function ownerOf(cluster: string): Promise<SystemUser> {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = await stat(cluster);
  return { uid, gid };
}

/** Yields the archive's bytes. Collects the manifest, which follows the archive, until the server reports completion. */
async function* archiveOf(pieces: AsyncIterable<Piece>, manifest: Buffer[]): AsyncGenerator<Buffer> {
  for await (const { of, bytes } of pieces) {
    if (of === 'archive') yield bytes;
    else manifest.push(bytes);
  }
}

async function keep(path: string, bytes: Buffer, owner: SystemUser): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  await file.writeFile(bytes);
  if (owner) await file.chown(owner.uid, owner.gid);
  await file.sync();
  await file.close();
}

/** The key file does not exist if SECRET_KEY is set. */
async function copySecret(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await chmod(to, 0o600);
  const file = await open(to, 'r');
  await file.sync();
  await file.close();
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync();
  await handle.close();
}

interface Settings {
  dataDir: string;
  databaseUrl: string | undefined;
  secretKey: string | undefined;
}

/** `npm start -- backup <folder>`. Returns the exit code. */
export async function backupCommand(
  { dataDir, databaseUrl, secretKey }: Settings,
  log: EmbeddedOptions['log'],
  [target, ...rest]: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  if (databaseUrl)
    throw new Refusal(
      'DATABASE_URL is set: back up that server with pg_dump or pg_basebackup (see docs/operating.md).',
    );
  if (!target || rest.length > 0) {
    print('Name one folder that does not exist yet: npm start -- backup /backups/monday');
    return 2;
  }
  const folder = await backUpEmbedded({ dataDir, log }, target);
  print(`The backup is in ${folder}. To restore it, start with DATA_DIR=${folder}.`);
  if (secretKey)
    print(
      'The backup does not contain SECRET_KEY: store it elsewhere, because the backup cannot be read without it.',
    );
  return 0;
}
