import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import type { SystemUser } from '../../../platform/db/embedded-programs.ts';

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
