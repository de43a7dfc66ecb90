import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import pg from 'pg';
import type { SystemUser } from '../../../platform/db/embedded-programs.ts';
import { connectionOf } from '../../../platform/db/tls.ts';

/** Copies that this process has begun. */
let copies = 0;

/**
 * An online copy of the whole cluster, streamed by the server as one tar archive: its files, `backup_label`, and every WAL
 * segment written during the copy (BASE_BACKUP of the streaming replication protocol,
 * https://www.postgresql.org/docs/18/protocol-replication.html). A temporary slot retains those segments until they are copied;
 * its name is unique, because the server drops it a moment after the connection of an earlier copy has ended.
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
      // The server may be blocked on our reads and would not notice a disconnect.
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
    // The server can fail before the first piece is read. The reader gets the error then; without a listener it would end the process.
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
    // A second archive would be a tablespace, which the service never creates.
    if (kind === 'n' && ++this.#archives > 1)
      this.pieces.destroy(new Error('The cluster has additional tablespaces, which are not copied.'));
    if (kind !== 'd') return;
    // The parser reuses its buffer.
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

const BLOCK = 512;

/**
 * Unpacks the files and folders of a tar archive (POSIX ustar, as PostgreSQL writes it) below `root`, readable by the owner
 * only. All files are synced to disk when this returns.
 */
export async function unpackTar(
  chunks: AsyncIterable<Buffer>,
  root: string,
  owner: SystemUser,
): Promise<void> {
  const reader = readerOf(chunks);
  const folders = new Set<string>();
  const makeFolder = async (path: string): Promise<void> => {
    if (folders.has(path)) return;
    if (path !== root) await makeFolder(dirname(path));
    await mkdir(path, { recursive: true, mode: 0o700 });
    folders.add(path);
    await settle(await open(path, 'r'), owner);
  };
  await makeFolder(root);
  for (;;) {
    const header = await reader.exactly(BLOCK);
    if (!header || header.every((byte) => byte === 0)) return reader.end();
    const { name, size, kind } = entryOf(header);
    const path = join(root, normalize(`/${name}`));
    if (kind === '5') await makeFolder(path);
    else if (kind === '0') {
      await makeFolder(dirname(path));
      const file = await open(path, 'wx', 0o600);
      for await (const bytes of reader.upTo(size)) await file.writeFile(bytes);
      await settle(file, owner);
    } else throw new Error(`The archive holds "${name}", which is neither a file nor a folder.`);
    if (kind === '0' && size % BLOCK > 0) await reader.exactly(BLOCK - (size % BLOCK));
  }
}

async function settle(handle: FileHandle, owner: SystemUser): Promise<void> {
  if (owner) await handle.chown(owner.uid, owner.gid);
  await handle.sync();
  await handle.close();
}

function entryOf(header: Buffer): { name: string; size: number; kind: string } {
  const text = (from: number, to: number) => header.toString('utf8', from, to).replace(/\0.*$/s, '');
  const prefix = text(345, 500);
  const kind = text(156, 157) || '0';
  return {
    name: prefix ? `${prefix}/${text(0, 100)}` : text(0, 100),
    size: Number.parseInt(text(124, 136).trim() || '0', 8),
    kind,
  };
}

/** Reads exact lengths from a stream of chunks. */
function readerOf(chunks: AsyncIterable<Buffer>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  /** At most `most` bytes; none at the end of the stream. */
  const some = async (most: number): Promise<Buffer> => {
    while (rest.length === 0) {
      const next = await iterator.next();
      if (next.done) return rest;
      rest = next.value;
    }
    const taken = rest.subarray(0, most);
    rest = rest.subarray(taken.length);
    return taken;
  };
  async function* upTo(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      const bytes = await some(left);
      if (bytes.length === 0) throw new Error('The archive ends in the middle.');
      left -= bytes.length;
      yield bytes;
    }
  }
  return {
    upTo,
    /** Consumes the rest of the stream. */
    async end(): Promise<void> {
      while ((await some(BLOCK)).length > 0);
    },
    /** Undefined at the end of the stream. */
    async exactly(size: number): Promise<Buffer | undefined> {
      const first = await some(size);
      if (first.length === 0) return undefined;
      const parts = [first];
      for await (const bytes of upTo(size - first.length)) parts.push(bytes);
      return Buffer.concat(parts);
    },
  };
}
