import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { extract } from 'tar-stream';
import type { SystemUser } from '../../../platform/db/embedded-programs.ts';
import { connectionOf } from '../../../platform/db/tls.ts';

/** The number of copies that this process has begun. */
let copies = 0;

/**
 * Takes an online copy of the whole cluster, which the server streams as one tar archive: its files, `backup_label`, and every
 * WAL segment written during the copy (BASE_BACKUP of the streaming replication protocol,
 * https://www.postgresql.org/docs/18/protocol-replication.html). A temporary slot retains those segments until they are copied.
 * Each copy's slot has a unique name, because the server drops a slot only a moment after its connection has closed.
 */
export async function streamBaseBackup(
  url: string,
  take: (chunks: AsyncIterable<Piece>) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({
    ...connectionOf(url),
    application_name: 'sixdigit backup',
    replication: 'database',
  } as pg.ClientConfig);
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(
      `CREATE_REPLICATION_SLOT "sixdigit_backup_${process.pid}_${++copies}" TEMPORARY PHYSICAL (RESERVE_WAL)`,
    );
    const command = `BASE_BACKUP (LABEL 'sixdigit backup', CHECKPOINT 'fast', WAL true, MANIFEST 'yes')`;
    const copy = client.query(new CopyOut(command));
    try {
      await take(copy.pieces);
    } catch (error) {
      // The server may be blocked because we no longer read, and would then not notice a disconnect.
      copy.abandon();
      throw error;
    }
  } finally {
    await client.end();
  }
}

/** A piece of the archive, or of the manifest that follows it. */
export interface Piece {
  of: 'archive' | 'manifest';
  bytes: Buffer;
}

interface Wire {
  query(text: string): void;
  stream: { pause(): void; resume(): void; destroy(): void };
}

/** Reads several results and COPY data after one command, through pg's interface for custom queries. */
class CopyOut {
  readonly pieces: Readable;
  readonly #command: string;
  #wire: Wire | undefined;
  #of: Piece['of'] = 'archive';
  #archives = 0;

  constructor(command: string) {
    this.#command = command;
    this.pieces = new Readable({
      objectMode: true,
      highWaterMark: 64,
      read: () => this.#wire?.stream.resume(),
    });
    // The server can fail before the first piece is read. The reader gets the error when it reads; without this listener, the
    // error would end the process.
    this.pieces.on('error', () => undefined);
  }

  submit(connection: unknown): void {
    this.#wire = connection as Wire;
    this.#wire.query(this.#command);
  }

  abandon(): void {
    this.#wire?.stream.destroy();
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    const kind = String.fromCharCode(chunk[0] ?? 0);
    if (kind === 'm') this.#of = 'manifest';
    // Each further archive is a tablespace, which the service never creates.
    if (kind === 'n' && ++this.#archives > 1)
      this.pieces.destroy(new Error('The cluster has additional tablespaces, which are not copied.'));
    if (kind !== 'd') return;
    // Copied, because the parser reuses its buffer.
    const piece: Piece = { of: this.#of, bytes: Buffer.from(chunk.subarray(1)) };
    if (!this.pieces.push(piece)) this.#wire?.stream.pause();
  }

  handleError(error: Error): void {
    this.pieces.destroy(error);
  }
  handleReadyForQuery(): void {
    this.pieces.push(null);
  }
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
}

/**
 * Unpacks the files and folders of a tar archive below `root`, readable by the owner only. All files are synced to disk when this
 * returns.
 */
export async function unpackTar(
  chunks: AsyncIterable<Buffer>,
  root: string,
  owner: SystemUser,
): Promise<void> {
  const folders = new Set<string>();
  const makeFolder = async (path: string): Promise<void> => {
    if (folders.has(path)) return;
    if (path !== root) await makeFolder(dirname(path));
    await mkdir(path, { recursive: true, mode: 0o700 });
    folders.add(path);
    await using folder = await open(path, 'r');
    await settle(folder, owner);
  };
  await makeFolder(root);
  const archive = extract();
  const received = pipeline(chunks, archive);
  // An error of the pipeline also ends the loop below, which throws it.
  received.catch(() => undefined);
  for await (const entry of archive) {
    const { name, type } = entry.header;
    const path = join(root, normalize(`/${name}`));
    if (type === 'directory') await makeFolder(path);
    else if (type === 'file') {
      await makeFolder(dirname(path));
      await using file = await open(path, 'wx', 0o600);
      await file.writeFile(entry as AsyncIterable<Buffer>);
      await settle(file, owner);
    } else throw new Error(`The archive holds "${name}", which is neither a file nor a folder.`);
    entry.resume();
  }
  await received;
}

async function settle(handle: FileHandle, owner: SystemUser): Promise<void> {
  if (owner) await handle.chown(owner.uid, owner.gid);
  await handle.sync();
}
