import { expect, test } from 'vitest';
import { serverFiles } from './modules.ts';
import { filesBelow, read } from './source.ts';

const FUNCTIONS = filesBelow('server/sql/functions', /\.sql$/);

/** What a statement that reads a list of rows contains. */
const MANY = /json_to_recordset|unnest\(|json_populate_recordset|= any ?\(|generate_series| in \(select/;

/** Statements that lock rows in any order, because nothing else waits for these rows while it holds others of them. */
const ALONE: Record<string, string> = {
  'insert into open_breakers': 'a process writes only its own rows',
  'insert into insight_sums': 'the callers hold the lock `insights`',
  'insert into recipient_sends': 'lock_sends has locked the recipients',
  'insert into request_logs': 'a process counts repetitions only in rows that it wrote',
  'insert into idempotency_keys': 'idempotent_answers has locked the keys',
  'insert into recipients': 'lock_sends has locked the recipients',
};

const spaced = (text: string): string => text.replace(/--.*$/gm, '').replace(/\s+/g, ' ').toLowerCase();

const statements = [
  ...serverFiles.flatMap((file) =>
    [...read(file).matchAll(/`([^`]*)`|'([^'\n]*)'/g)].map(([, long = '', short = '']) => long || short),
  ),
  ...FUNCTIONS.flatMap((file) => read(file).split(/;\s*\n/)),
].map(spaced);

/** The parts of a statement that lock several rows, each with the text that must sort them. */
const locking = (sql: string): string[] => [
  ...[...sql.matchAll(/\bfor (?:no key |key )?(?:update|share)\b(?!(?: of \w+)? skip locked)/g)]
    .map(({ index }) => sql.slice(0, index))
    .filter((before) => before.includes('select') && MANY.test(before))
    .map((before) => before.slice(before.lastIndexOf('select'))),
  ...[...sql.matchAll(/insert into (?:(?!insert into).)*?on conflict[^;]*? do update/g)]
    .map(([insert]) => insert.split(' on conflict')[0] ?? '')
    .filter((insert) => MANY.test(sql) && !/\) values \(/.test(insert)),
];
const lockingMany = statements.flatMap(locking);

test('a statement that locks several rows locks them in order, so that two of them cannot wait for each other', () => {
  const unordered = lockingMany.filter((part) => !part.includes('order by'));
  const isAlone = (part: string) => Object.keys(ALONE).some((begin) => part.startsWith(begin));
  expect(unordered.filter((part) => !isAlone(part))).toEqual([]);
  expect(Object.keys(ALONE).filter((begin) => !unordered.some((part) => part.startsWith(begin)))).toEqual([]);
  expect(lockingMany.length - unordered.length).toBeGreaterThan(10);
});
