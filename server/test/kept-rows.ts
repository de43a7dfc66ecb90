import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { openClient } from './database-url.ts';

/** The rows of a kept database in a file of this checkout, for servers that end with their run. */

const FOLDER = join(import.meta.dirname, '../../.cache');
const SUFFIX = '.rows.json';
const pathOf = (name: string): string => join(FOLDER, name + SUFFIX);

interface Kept {
  /** the database's comment */
  comment: string;
  /** name, columns and rows as JSON of each table */
  tables: [table: string, columns: string, rows: string][];
  sequences: [name: string, value: string][];
}

/** Replaces the rows of a migrated database with those of the file, and returns the comment. Undefined if there is no file. */
export async function restoreRows(url: string, name: string): Promise<string | undefined> {
  const kept = read(name);
  if (!kept) return undefined;
  await using client = await openClient(url);
  // The rows are consistent already, so triggers and foreign keys have nothing to do.
  await client.query('set session_replication_role = replica');
  const names = kept.tables.map(([table]) => client.escapeIdentifier(table));
  await client.query(names.map((table) => `delete from ${table}`).join(';'));
  for (const [table, columns, rows] of kept.tables)
    await client.query(
      `insert into ${client.escapeIdentifier(table)} (${columns}) overriding system value
       select ${columns} from json_populate_recordset(null::${client.escapeIdentifier(table)}, $1::json)`,
      [rows],
    );
  for (const [sequence, value] of kept.sequences)
    await client.query('select setval($1::regclass, $2)', [sequence, value]);
  return kept.comment;
}

/** Writes the file, and removes those of earlier sources and days. */
export async function keepRows(url: string, name: string, comment: string): Promise<void> {
  await using client = await openClient(url);
  const kept: Kept = { comment, tables: await tablesOf(client), sequences: await sequencesOf(client) };
  mkdirSync(FOLDER, { recursive: true });
  const unfinished = `${pathOf(name)}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(kept));
  renameSync(unfinished, pathOf(name));
  for (const other of readdirSync(FOLDER))
    if (other.endsWith(SUFFIX) && other !== name + SUFFIX) rmSync(join(FOLDER, other), { force: true });
}

function read(name: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(pathOf(name), 'utf8')) as Kept;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function tablesOf(client: Client): Promise<Kept['tables']> {
  const { rows } = await client.query<{ name: string; columns: string }>(
    `select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     group by 1 order by 1`,
  );
  const tables: Kept['tables'] = [];
  for (const { name, columns } of rows) {
    const found = await client.query<{ text: string | null }>(
      `select json_agg(t)::text as text from ${client.escapeIdentifier(name)} t`,
    );
    tables.push([name, columns, found.rows[0]?.text ?? '[]']);
  }
  return tables;
}

async function sequencesOf(client: Client): Promise<Kept['sequences']> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `select quote_ident(sequencename) as name, last_value::text as value from pg_sequences
     where schemaname = 'public' and last_value is not null`,
  );
  return rows.map(({ name, value }) => [name, value]);
}
