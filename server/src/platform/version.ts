import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const COMMIT = /^[0-9a-f]{40}$/;

/** The version of the product that this process runs. */
export const version = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string })
  .version;

/** The commit that this process runs: that of the checkout, or the one in the file `commit` of an image. Otherwise `unknown`. */
export const commit = commitOf(ROOT);

export function commitOf(root: string): string {
  const text = (...path: string[]) => {
    const file = resolve(...path);
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  };
  const written = text(root, 'commit');
  if (COMMIT.test(written)) return written;
  try {
    // In a work tree of its own, `.git` is a file that names the folder.
    const folder = existsSync(join(root, '.git/HEAD'))
      ? join(root, '.git')
      : resolve(root, text(root, '.git').replace(/^gitdir: /, ''));
    const head = text(folder, 'HEAD');
    const name = head.replace(/^ref: /, '');
    const shared = resolve(folder, text(folder, 'commondir') || '.');
    const packed = text(shared, 'packed-refs')
      .split('\n')
      .find((line) => line.endsWith(` ${name}`))
      ?.slice(0, 40);
    return (
      [head, text(folder, name), text(shared, name), packed].find((one) => COMMIT.test(one ?? '')) ??
      'unknown'
    );
  } catch {
    return 'unknown';
  }
}
