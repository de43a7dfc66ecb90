import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { emptyDatabase } from '../../../test/database.ts';
import { databaseUrl, runSql } from '../../../test/database-url.ts';
import { PROGRAM_ENV } from '../../../test/program.ts';

/** The whole program, started with a database or a folder that it cannot use. */
const folder = mkdtempSync(join(tmpdir(), 'start-'));
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const timeout = 120_000;

async function start(
  env: Record<string, string>,
  task = 'migrate',
): Promise<{ code: number; output: string }> {
  const child = fork(join(import.meta.dirname, '../../main.ts'), [task], {
    env: {
      ...PROGRAM_ENV,
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      SECRET_KEY: 'a server key for the tests',
      ...env,
    },
    execArgv: [],
    silent: true,
  });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? -1)));
  return { code, output };
}

/** One sentence of ours, on one line and without a stack. */
async function expectSentence(env: Record<string, string>, sentence: RegExp, task?: string): Promise<void> {
  const { code, output } = await start(env, task);
  expect(output).toMatch(sentence);
  expect(output.trim().split('\n')).toHaveLength(1);
  expect(code).toBe(1);
}

const otherwise = (url: string, change: (parsed: URL) => void): string => {
  const parsed = new URL(url);
  change(parsed);
  return parsed.href;
};

test('a wrong password is named, in every role', { timeout }, async () => {
  await using database = await emptyDatabase();
  const DATABASE_URL = otherwise(database.url, (url) => {
    url.password = 'not-the-password';
  });
  const sentence =
    /^The database refuses the password .*: put the right user and password into DATABASE_URL\.$/m;
  await expectSentence({ DATABASE_URL }, sentence);
  await expectSentence({ DATABASE_URL }, sentence, 'worker');
  const { output } = await start({ DATABASE_URL });
  expect(output).not.toContain('not-the-password');
});

test('a missing password is named', { timeout }, async () => {
  await using database = await emptyDatabase();
  const DATABASE_URL = otherwise(database.url, (url) => {
    url.password = '';
  });
  await expectSentence({ DATABASE_URL }, /^The database requires a password, and DATABASE_URL has none/);
});

test('a missing database is named', { timeout }, async () => {
  await using database = await emptyDatabase();
  const DATABASE_URL = databaseUrl(database.url, 'no_such_database');
  await expectSentence(
    { DATABASE_URL },
    /^The database does not exist \(database "no_such_database" does not exist\): create it with/,
  );
});

test('a missing right on the schema is named', { timeout }, async () => {
  await using database = await emptyDatabase();
  const role = `poor_${database.name}`;
  await runSql(database.url, `create role ${role} login password 'a password of theirs'`);
  try {
    const DATABASE_URL = otherwise(database.url, (url) => {
      url.username = role;
      url.password = 'a password of theirs';
    });
    await expectSentence(
      { DATABASE_URL },
      /^The database user lacks a right \(permission denied for .*public\)/,
    );
  } finally {
    await runSql(database.url, `drop role ${role}`);
  }
});

test('a server without TLS is named if the URL requires TLS', { timeout }, async () => {
  await using database = await emptyDatabase();
  await expectSentence(
    { DATABASE_URL: `${database.url}?sslmode=require` },
    /^The database server offers no TLS, and sslmode in DATABASE_URL requires it/,
  );
  await expectSentence(
    { DATABASE_URL: `${database.url}?sslmode=always` },
    /^The database URL has an sslmode that does not exist: set sslmode to one of disable, allow, prefer/,
  );
});

test('an unreachable server is named', { timeout }, async () => {
  await expectSentence(
    { DATABASE_URL: 'postgres://someone:secret@127.0.0.1:9/nothing' },
    /^The database cannot be reached \(connect ECONNREFUSED 127\.0\.0\.1:9\): start it/,
  );
});

test('a data folder that is not writable is named', { timeout }, async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const sentence = /^DATA_DIR \S+ cannot be written \([a-z ]+\): let the user of the service write there/;
  for (const DATA_DIR of [file, join(file, 'below')]) {
    await expectSentence({ DATA_DIR }, sentence, 'all');
    await expectSentence({ DATA_DIR, SECRET_KEY: '' }, sentence, 'all');
  }
});
