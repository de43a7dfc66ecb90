import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../file-problem.ts';

/** A file of `server/sql`: a migration, or the current text of a database function. */
export type SchemaFile = { name: string; text: string; sha256: string };

export type SchemaFiles = {
  /** In the order in which they run. */
  migrations: SchemaFile[];
  functions: SchemaFile[];
  /** The version of the product that these files belong to. */
  version: string;
};

const ROOT = join(import.meta.dirname, '../../../..');
const SHIPPED = join(ROOT, 'server/sql');

export function readSchemaFiles(directory = SHIPPED): SchemaFiles {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  return {
    migrations: readFiles(join(directory, 'migrations'), /^\d{4}_\w+\.sql$/, '0001_name.sql'),
    functions: readFiles(join(directory, 'functions'), /^[a-z][a-z0-9_]*\.sql$/, 'name_of_the_function.sql'),
    version,
  };
}

function readFiles(directory: string, pattern: RegExp, example: string): SchemaFile[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => {
    if (!pattern.test(name)) throw new Refusal(`${join(directory, name)} is not named like ${example}.`);
    return schemaFile(name, readFileSync(join(directory, name), 'utf8'));
  });
}

export const schemaFile = (name: string, text: string): SchemaFile => ({
  name,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
});
