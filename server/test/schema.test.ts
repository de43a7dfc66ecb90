import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LOCK_CLASSES, SERVICE_LOCKS } from '../src/platform/db/advisory-locks.ts';
import { readSchemaFiles } from '../src/platform/db/schema-files.ts';
import { type Db, openDb } from '../src/platform/db/sql.ts';
import { testDatabase } from './database.ts';
import { PEOPLE, PREVIOUS_VERSION, previousCalls, statementOf } from './previous-calls.ts';
import { schemaText } from './schema-text.ts';

const SQL = join(import.meta.dirname, '../sql');
const { migrations, functions } = readSchemaFiles();

// `npm run schema` writes both files.
async function onDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDb({ url, log: { warn: () => {} }, max: 1 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

test('server/sql/schema.sql equals the schema of a migrated database', async () => {
  await using database = await testDatabase();
  const text = await onDatabase(database.url, schemaText);
  await expect(text).toMatchFileSnapshot(join(SQL, 'schema.sql'));
});

test('every shipped migration matches its hash in server/sql/shipped.json', () => {
  const shipped = JSON.parse(readFileSync(join(SQL, 'shipped.json'), 'utf8')) as Record<string, string>;
  expect(Object.fromEntries(migrations.map(({ name, sha256 }) => [name, sha256]))).toEqual(shipped);
});

test('no two migrations share a number', () => {
  const numbers = migrations.map(({ name }) => name.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
});

/** Its triggers must exist before the next migration copies rows. They never change, and the next release drops them. */
const TRANSITIONS = ['0024_people.sql'];

test('migrations contain tables and data, and use none of our functions', () => {
  const names = functions.map(({ name }) => name.replace('.sql', ''));
  const uses = new RegExp(`\\b(${names.join('|')})\\s*\\(`);
  const statements = (text: string) => text.replaceAll(/--.*$/gm, '');
  expect(
    migrations
      .filter(({ text }) => /\b(function|trigger)\b/i.test(statements(text)) || uses.test(statements(text)))
      .map(({ name }) => name),
  ).toEqual(TRANSITIONS);
});

test('each file in server/sql/functions creates exactly the function that it is named after', () => {
  const created = functions.map(({ name, text }) => ({
    name,
    creates: [...text.matchAll(/^create or replace (?:function|view) (\w+)/gm)].map(
      ([, made]) => `${made}.sql`,
    ),
    others: /^create (?!or replace (function|view|trigger)\b)/m.test(text),
  }));
  expect(created.filter(({ name, creates, others }) => others || creates.join() !== name)).toEqual([]);
});

test('every logged table, including partitions, has a replica identity for logical replication', async () => {
  await using database = await testDatabase();
  const tables = await onDatabase(database.url, (db) =>
    db.rows<{ name: string; has_identity: boolean }>(
      `select c.relname as name, c.relreplident = 'f' or exists (
           select from pg_index i where i.indrelid = c.oid and i.indisprimary) as has_identity
         from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'`,
    ),
  );
  expect(tables.filter(({ name }) => /^status_history_\d{4}_\d{2}$/.test(name))).not.toEqual([]);
  expect(tables.filter(({ has_identity }) => !has_identity)).toEqual([]);
});

test('database functions use the advisory locks in advisory-locks.ts, by number and name', () => {
  const known = { ...SERVICE_LOCKS, ...LOCK_CLASSES };
  const wrong: string[] = [];
  for (const { name, text } of functions) {
    const uses = [
      ...text.matchAll(/advisory_xact_lock(?:_shared)?\((\d+)(?: \/\* (\w+) \*\/)?/g),
      ...text.matchAll(/hashtextextended\((?:[^()]|\([^()]*\))*, (\d+)(?: \/\* (\w+) \*\/)?\)/g),
    ];
    if (uses.length < [...text.matchAll(/hashtextextended\(/g)].length) wrong.push(`${name}: unreadable`);
    for (const [use, number, lock = ''] of uses)
      if (known[lock as keyof typeof known] !== Number(number)) wrong.push(`${name}: ${use}`);
  }
  expect(wrong).toEqual([]);
});

test('the server takes advisory locks only through advisory-locks.ts', () => {
  const source = join(import.meta.dirname, '../src');
  const takers = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => /advisory_(xact_)?lock/.test(readFileSync(join(source, name), 'utf8')));
  // The migration runs before a pool exists.
  expect(takers.sort()).toEqual(['platform/db/advisory-locks.ts', 'platform/db/migrate.ts']);
});

test(`the database functions accept every call that version ${PREVIOUS_VERSION} makes`, async () => {
  await using database = await testDatabase();
  const db = openDb({ url: database.url, log: { warn: () => {} }, max: 1 });
  try {
    await db.pool.query(PEOPLE);
    for (const previous of previousCalls) {
      const [text, values] = statementOf(previous);
      const { fields } = await db.pool.query(text, values);
      const columns = fields.map(({ name }) => name);
      expect(columns, previous.call).toEqual(expect.arrayContaining([...previous.columns]));
    }
    expect(
      await db.rows('select status, verified_at is not null as has_time, carrier from verifications'),
    ).toEqual([{ status: 'verified', has_time: true, carrier: 'twilio' }]);
    expect(await db.rows('select credits from balances')).toEqual([{ credits: 9 }]);
    expect(await db.rows('select id from deliveries')).toEqual([]);
    expect(await db.rows('select key from idempotency_keys')).toHaveLength(2);
    expect(await db.rows('select id from request_logs')).toHaveLength(2);
  } finally {
    await db.close();
  }
});

test('an account repeats its founder or else its first owner, and how to sign in only of the former', async () => {
  await using database = await testDatabase();
  await onDatabase(database.url, async (db) => {
    await db.pool.query(PEOPLE);
    const [founder, later, owner, admin] = ['0a', '0b', '0c', '0d'].map(
      (end) => `01920000-0000-7000-8000-0000000000${end}`,
    );
    const contactOf = (n: number) => ({
      ...{ email: `${n}@example.com`, first_name: `First ${n}`, last_name: `Last ${n}` },
      ...{
        phone_number: `+1415555010${n}`,
        phone_verified_at: new Date(n).toISOString(),
        two_factor_enabled: true,
      },
      ...{ username: `user${n}`, password_hash: `hash ${n}`, time_zone: 'Europe/Paris' },
      ...{ two_factor_method: 'sms', two_factor_phone: `+1415555020${n}` },
    });
    const columns = Object.keys(contactOf(1)).join();
    const repeated = () => db.one(`select ${columns} from accounts where id = $1`, [founder]);
    const change = (id: string | undefined, n: number) =>
      db.run(
        `update people set (${columns}) = (select ${columns} from json_populate_record(null::people, $2)) where id = $1`,
        [id, JSON.stringify(contactOf(n))],
      );
    await change(founder, 1);
    expect(await repeated()).toEqual(contactOf(1));
    for (const [id, role, year] of [
      [later, 'owner', 2011],
      [owner, 'owner', 2010],
      [admin, 'admin', 2009],
    ] as const)
      await db.run(
        `with p as (insert into people (id, created_at) values ($2, now()) returning id)
         insert into memberships (account_id, person_id, role, joined_at) select $1, id, $3, make_date($4, 1, 1) from p`,
        [founder, id, role, year],
      );
    await change(owner, 2);
    expect(await repeated()).toEqual(contactOf(1));
    await db.run('delete from memberships where person_id = $1', [founder]);
    const none = { username: null, password_hash: null, time_zone: null };
    expect(await repeated()).toEqual({
      ...{ ...contactOf(2), ...none },
      ...{ two_factor_method: 'email', two_factor_phone: '' },
    });
  });
});
