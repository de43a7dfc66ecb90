import { RULES, type Rule } from '@sixdigit/contract/protection/protection.ts';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test/database.ts';
import { readSchemaFiles } from '../platform/db/schema-files.ts';
import { openDb } from '../platform/db/sql.ts';
import { rulesWith } from './policy.ts';
import { DEPLOYMENT, findSettings } from './queries.ts';

/** The rules of the first version, which no deployment was upgraded to. */
const BASELINE: readonly Rule[] = [
  'country',
  'prefix_velocity',
  'client_velocity',
  'client_unverified',
  'client_countries',
  'prefix_conversion',
  'country_unverified',
];

test('a new deployment enforces every rule', async () => {
  await using database = await testDatabase();
  const db = openDb({ url: database.url, log: { warn: () => {} } });
  const row = await findSettings(db, DEPLOYMENT);
  const rules = rulesWith(row?.rules ?? {}, { sandbox: false, scope: 'deployment' });
  expect(RULES.filter((rule) => rules[rule].mode !== 'enforce')).toEqual([]);
  await db.close();
});

test('every rule that is newer than the baseline has a migration that lets it monitor the accounts of an upgrade', () => {
  const texts = readSchemaFiles()
    .migrations.map(({ text }) => text)
    .join('\n');
  const missing = RULES.filter(
    (rule) => !BASELINE.includes(rule) && !texts.includes(`"${rule}":{"mode":"monitor"}`),
  );
  expect(missing).toEqual([]);
});
