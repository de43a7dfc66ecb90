import { RULES, type Rule } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { emptyDatabase } from '../../test/database.ts';
import { migrate } from '../platform/db/migrate.ts';
import { readSchemaFiles } from '../platform/db/schema-files.ts';
import { type Db, openDb } from '../platform/db/sql.ts';
import { rulesWith } from './policy.ts';
import { DEPLOYMENT, findSettings } from './queries.ts';

const log = { warn: () => {} };
const files = readSchemaFiles();
const FIRST = '0110_protection.sql';
const LAST = '0360_monitored_rules.sql';
/** Brings a database to the state before a migration. */
const migrateUntil = (url: string, name: string) =>
  migrate(url, { ...files, functions: [], migrations: files.migrations.filter((file) => file.name < name) });

const OLD = '00000000-0000-7000-8000-000000000001';
const NEW = '00000000-0000-7000-8000-000000000002';

async function modes(db: Db, account_id: string): Promise<Record<Rule, string>> {
  const row = await findSettings(db, account_id);
  const scope = account_id === DEPLOYMENT ? 'deployment' : 'account';
  const rules = rulesWith(row?.rules ?? {}, { sandbox: false, scope });
  return Object.fromEntries(RULES.map((rule) => [rule, rules[rule].mode])) as Record<Rule, string>;
}

const every = (mode: string) => Object.fromEntries(RULES.map((rule) => [rule, mode]));
const insertAccount = (db: Db, id: string) =>
  db.run('insert into accounts (id, email, created_at) values ($1, $2, now())', [id, `${id}@people.test`]);

test('after an upgrade that brings the rules, they monitor the accounts that it finds and enforce for new ones', async () => {
  await using database = await emptyDatabase();
  await migrateUntil(database.url, FIRST);
  const db = openDb({ url: database.url, log });
  await insertAccount(db, OLD);
  await migrate(database.url, files);
  await insertAccount(db, NEW);
  // The list of countries is empty until the owner fills it.
  const monitored = { ...every('monitor'), country: 'enforce' };
  expect(await modes(db, OLD)).toEqual(monitored);
  expect(await modes(db, DEPLOYMENT)).toEqual(monitored);
  expect(await modes(db, NEW)).toEqual(every('enforce'));
  await db.close();
});

test('an upgrade changes no rule that the version before had', async () => {
  await using database = await emptyDatabase();
  await migrateUntil(database.url, FIRST);
  const db = openDb({ url: database.url, log });
  await insertAccount(db, OLD);
  await db.run("update accounts set created_at = now() - interval '3 days'");
  await migrateUntil(database.url, LAST);
  await db.run(
    "update schema_migrations set applied_at = now() - interval '2 days' where name = '0110_protection.sql'",
  );
  await migrate(database.url, files);
  for (const account_id of [OLD, DEPLOYMENT]) expect(await modes(db, account_id)).toEqual(every('enforce'));
  await db.close();
});

test('a new deployment enforces every rule', async () => {
  await using database = await emptyDatabase();
  await migrate(database.url, files);
  const db = openDb({ url: database.url, log });
  expect(await modes(db, DEPLOYMENT)).toEqual(every('enforce'));
  await db.close();
});

test('every rule that refuses by default has a migration that lets it monitor the accounts of an upgrade', () => {
  const texts = files.migrations.map(({ text }) => text).join('\n');
  const missing = RULES.filter(
    (rule) => rule !== 'country' && !texts.includes(`"${rule}":{"mode":"monitor"}`),
  );
  expect(missing).toEqual([]);
});
