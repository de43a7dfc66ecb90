/** A start with a database or a folder that it cannot use. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { emptyDatabase } from '../../../test/database.ts';
import { databaseUrl, runSql } from '../../../test/database-url.ts';
import { runProgram } from '../../../test/program.ts';
import { fileProblem } from '../file-problem.ts';
import { startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';
import { databaseStartProblem } from './start-problem.ts';
import { settleTls } from './tls.ts';

const folder = mkdtempSync(join(tmpdir(), 'start-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The first steps of a start, in this process. Returns the sentence for the operator. */
async function problemOf(url: string): Promise<string | undefined> {
  try {
    await migrate(await settleTls(url));
  } catch (error) {
    return databaseStartProblem(error) ?? (error as Error).message;
  }
  return undefined;
}

const otherwise = (url: string, change: (parsed: URL) => void): string => {
  const parsed = new URL(url);
  change(parsed);
  return parsed.href;
};

test('a start without a database password reports it', async () => {
  await using database = await emptyDatabase();
  const url = otherwise(database.url, (parsed) => {
    parsed.password = '';
  });
  expect(await problemOf(url)).toMatch(/^The database requires a password, and DATABASE_URL has none/);
});

test('a start with a missing database reports it', async () => {
  await using database = await emptyDatabase();
  expect(await problemOf(databaseUrl(database.url, 'no_such_database'))).toMatch(
    /^The database does not exist \(database "no_such_database" does not exist\): create it with/,
  );
});

test('a start without rights on the schema reports it', async () => {
  await using database = await emptyDatabase();
  const role = `poor_${database.name}`;
  await runSql(database.url, `create role ${role} login password 'a password of theirs'`);
  try {
    const url = otherwise(database.url, (parsed) => {
      parsed.username = role;
      parsed.password = 'a password of theirs';
    });
    expect(await problemOf(url)).toMatch(
      /^The database user lacks a right \(permission denied for .*public\)/,
    );
  } finally {
    await runSql(database.url, `drop role ${role}`);
  }
});

test('a start reports a database server without TLS if the URL requires TLS', async () => {
  await using database = await emptyDatabase();
  expect(await problemOf(`${database.url}?sslmode=require`)).toMatch(
    /^The database server offers no TLS, and sslmode in DATABASE_URL requires it/,
  );
  expect(await problemOf(`${database.url}?sslmode=always`)).toMatch(
    /^The database URL has an sslmode that does not exist: set sslmode to one of disable, allow, prefer/,
  );
});

test('an unreachable database server at start is reported', async () => {
  expect(await problemOf('postgres://someone:secret@127.0.0.1:9/nothing')).toMatch(
    /^The database cannot be reached \(connect ECONNREFUSED 127\.0\.0\.1:9\): start it/,
  );
});

const notAFolder =
  /^(?:DATA_DIR )?\/\S+ is a file, .*: remove the file, or set DATA_DIR to another folder\.$/m;

test('a start with a file as its data folder reports it', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const log = { info: () => {}, error: () => {} };
  for (const dataDir of [file, join(file, 'below')]) {
    const error = await startEmbedded({ dataDir, log }).catch((thrown: unknown) => thrown);
    expect(fileProblem(error, dataDir)).toMatch(notAFolder);
  }
});

/** Starts the whole program, which reports one sentence of ours, on one line and without a stack. */
async function outputOfStart(task: string, env: Record<string, string>): Promise<string> {
  const program = runProgram([task], {
    DATA_DIR: join(folder, 'data'),
    SECRET_KEY: 'a server key for the tests',
    ...env,
  });
  try {
    expect(await program.exited).toBe(1);
  } finally {
    program.child.kill('SIGKILL');
  }
  expect(program.output().trim().split('\n')).toHaveLength(1);
  return program.output();
}

const timeout = 120_000;

test.each(['worker', 'operator'])(
  'the command %s on a database without tables reports that it must be migrated',
  { timeout },
  async (task) => {
    await using database = await emptyDatabase();
    expect(await outputOfStart(task, { DATABASE_URL: database.url })).toMatch(
      /^The database is not up to date \(\d{4}_\w+\.sql has not run\): run `npm start -- migrate` or start an API process/,
    );
  },
);

test.each(['migrate', 'worker'])(
  'the command %s reports a wrong database password without printing it',
  { timeout },
  async (task) => {
    await using database = await emptyDatabase();
    const DATABASE_URL = otherwise(database.url, (url) => {
      url.password = 'not-the-password';
    });
    const output = await outputOfStart(task, { DATABASE_URL });
    expect(output).toMatch(
      /^The database refuses the password .*: put the right user and password into DATABASE_URL\.$/m,
    );
    expect(output).not.toContain('not-the-password');
  },
);

test.each([
  ['its server key', ''],
  ['its database', 'a server key for the tests'],
])('a service that cannot store %s reports the folder', { timeout }, async (_, SECRET_KEY) => {
  const DATA_DIR = join(folder, 'file', 'below');
  writeFileSync(join(folder, 'file'), '');
  expect(await outputOfStart('all', { DATA_DIR, SECRET_KEY })).toMatch(notAFolder);
});
