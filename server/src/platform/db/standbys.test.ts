import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/database.ts';
import { openDb } from './sql.ts';
import { synchronousStandbys } from './standbys.ts';

test.each([
  ['', 'on', 0],
  ['  ', 'on', 0],
  ['node1', 'on', 1],
  ['node1, node2', 'remote_apply', 1],
  ['*', 'on', 1],
  ['2 (node1, node2)', 'on', 2],
  ['FIRST 2 (node1, node2, node3)', 'on', 2],
  ['any 3 (node1, node2, node3)', 'remote_write', 3],
  ['first, any', 'on', 1],
  ['"2 (a)", b', 'on', 1],
  ['ANY 1 (node1, node2)', 'local', 0],
  ['ANY 1 (node1, node2)', 'off', 0],
])(
  'with synchronous_standby_names = %j and synchronous_commit = %s, %i standbys confirm a commit',
  async (names, commit, expected) => {
    await using database = await testDatabase();
    const sql = openDb({ url: database.url, log: { warn: () => undefined }, max: 1 });
    try {
      // The setting belongs to the server's configuration, so the statement reads another function of this name.
      await sql.run(`create schema elsewhere`);
      await sql.run(
        `create function elsewhere.current_setting(name text) returns text language sql as $$
         select case name when 'synchronous_standby_names' then ${quoted(names)} when 'synchronous_commit' then ${quoted(commit)} end $$`,
      );
      await sql.run('set search_path = elsewhere, pg_catalog, public');
      expect(await synchronousStandbys(sql)).toBe(expected);
    } finally {
      await sql.close();
    }
  },
);

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
