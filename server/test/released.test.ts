import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { migrate } from '../src/platform/db/migrate.ts';
import { readSchemaFiles } from '../src/platform/db/schema-files.ts';
import { openDb } from '../src/platform/db/sql.ts';
import { commitOf, version } from '../src/platform/version.ts';
import { emptyDatabase } from './database.ts';
import { PEOPLE } from './previous-calls.ts';
import { schemaText } from './schema-text.ts';
import { ROOT, read } from './source.ts';

/** `npm run release` writes a file with the hashes of its migrations for each version. */
const SQL = join(import.meta.dirname, '../sql');
const released = readdirSync(join(SQL, 'released')).map((file) => ({
  name: file.replace('.json', ''),
  hashes: JSON.parse(readFileSync(join(SQL, 'released', file), 'utf8')) as Record<string, string>,
}));
const files = readSchemaFiles();

test('the first release whose migrations are fixed is 0.2.0', () => {
  expect(released.map(({ name }) => name)).toContain('0.2.0');
});

test.each(released)(
  'no migration of version $name was rewritten, and new ones run after them',
  ({ hashes }) => {
    const count = Object.keys(hashes).length;
    expect(
      Object.fromEntries(files.migrations.slice(0, count).map(({ name, sha256 }) => [name, sha256])),
    ).toEqual(hashes);
  },
);

test.each(released)(
  'a database of version $name with rows can be upgraded to the schema of a new one',
  async ({ hashes }) => {
    await using database = await emptyDatabase();
    const migrations = files.migrations.filter(({ name }) => name in hashes);
    await migrate(database.url, { ...files, migrations, functions: [] });
    const db = openDb({ url: database.url, log: { warn: () => {} }, max: 1 });
    try {
      await db.pool.query(PEOPLE.replaceAll('clock_now()', 'now()'));
      const later = files.migrations.filter(({ name }) => !(name in hashes)).map(({ name }) => name);
      expect((await migrate(database.url)).migrations).toEqual(later);
      expect(await schemaText(db)).toBe(read('server/sql/schema.sql'));
      expect(await db.rows('select email from people')).toEqual([{ email: 'alice@example.com' }]);
    } finally {
      await db.close();
    }
  },
);

const entries = read('CHANGELOG.md').split(/^## /m).slice(1);

test('the changelog begins with this version or the next, and says in at most 60 lines what users notice', () => {
  const newest = entries[0]?.split('\n')[0] ?? '';
  expect(newest.localeCompare(version, 'en', { numeric: true })).toBeGreaterThanOrEqual(0);
  for (const entry of entries) expect(entry.trim().split('\n').length - 1).toBeLessThanOrEqual(60);
  expect(entries[0]).toContain('### Upgrading');
});

test('the commit comes from the image, a checkout or its work tree', () => {
  const root = mkdtempSync(join(tmpdir(), 'commit-'));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  };
  const [one, two] = ['1'.repeat(40), '2'.repeat(40)];
  try {
    expect(commitOf(root)).toBe('unknown');
    put('a/.git/HEAD', one);
    put('b/.git/HEAD', 'ref: refs/heads/main');
    put('b/.git/packed-refs', `# pack-refs\n${two} refs/heads/main`);
    put('c/.git', `gitdir: ${join(root, 'b/.git/worktrees/c')}`);
    put('b/.git/worktrees/c/HEAD', 'ref: refs/heads/c');
    put('b/.git/worktrees/c/commondir', '../..');
    put('b/.git/refs/heads/c', one);
    put('d/commit', two);
    put('e/commit', 'unknown');
    expect(['a', 'b', 'c', 'd', 'e'].map((name) => commitOf(join(root, name)))).toEqual([
      one,
      two,
      one,
      two,
      'unknown',
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('npm run release takes the version from the changelog, and refuses a long entry or a released version', () => {
  const root = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    for (const path of [
      'scripts/release.mjs',
      'scripts/run.mjs',
      'package.json',
      'package-lock.json',
      'server/sql/migrations',
    ])
      cpSync(join(ROOT, path), join(root, path), { recursive: true });
    const release = (entry: string) => {
      writeFileSync(join(root, 'CHANGELOG.md'), `# Changelog\n\n${entry}\n\n## 0.1.0\n`);
      const { status, stderr } = spawnSync(process.execPath, ['scripts/release.mjs'], {
        cwd: root,
        encoding: 'utf8',
      });
      return status === 0 ? 'ready' : stderr.trim();
    };
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    const entry = '## 9.0.0\n\n### Upgrading\n\n- From 0.2.0.';
    expect(release(`${entry}\n- more`.padEnd(9_000, '\n- more'))).toMatch(/Shorten it to 60/);
    expect(release('## 9.0.0\n\n- More.')).toMatch(/does not say from which versions/);
    expect(release(entry.replace('9', '0'))).toMatch(/0\.0\.0 is older than/);
    expect(release(entry)).toBe('ready');
    const written = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
    expect([written('package.json').version, written('package-lock.json').packages[''].version]).toEqual([
      '9.0.0',
      '9.0.0',
    ]);
    expect(Object.keys(written('server/sql/released/9.0.0.json'))).toEqual(
      files.migrations.map(({ name }) => name),
    );
    const who = ['-c', 'user.name=Alice', '-c', 'user.email=alice@example.com'];
    execFileSync('git', [...who, 'commit', '--quiet', '--allow-empty', '-m', 'Release'], { cwd: root });
    execFileSync('git', ['tag', 'v9.0.0'], { cwd: root });
    expect(release(entry)).toMatch(/9\.0\.0 is released/);
  } finally {
    rmSync(root, { recursive: true });
  }
});
