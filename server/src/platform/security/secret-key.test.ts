import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import { TEST_KEY_COST } from '../../../test/service.ts';
import { systemClock } from '../clock.ts';
import { type Db, openDb } from '../db/sql.ts';
import { Refusal } from '../file-problem.ts';
import { createLog } from '../log.ts';
import { systemRandom } from './random.ts';
import { generateKey, keyFile, readKeyFile, rememberKey } from './secret-key.ts';
import { createVault } from './vault.ts';

let database: TestDatabase;
let db: Db;
let dataDir: string;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'key-'));
  database = await testDatabase();
  db = openDb({ url: database.url, log: createLog('silent'), max: 5 });
});
afterEach(async () => {
  await db.close();
  await database[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true });
});

const FIRST = 'the first key of this service';
const SECOND = 'the second key of this service';
const THIRD = 'the third key of this service';
const vaultOf = (key: string, ...previous: string[]) =>
  createVault(key, previous, systemRandom(systemClock), TEST_KEY_COST);
const start = (key: string, ...previous: string[]) => rememberKey(db, vaultOf(key, ...previous));
const remembered = () => db.rows('select * from service_facts order by name');

test('the first start stores the server key’s fingerprint, and the same key is accepted again', async () => {
  await start(FIRST);
  await start(FIRST);
  expect(await remembered()).toHaveLength(1);
});

test('another server key is refused with advice and changes nothing', async () => {
  await start(FIRST);
  const before = await remembered();
  await expect(start(SECOND)).rejects.toThrow(Refusal);
  await expect(start(SECOND)).rejects.toThrow(/SECRET_KEY_PREVIOUS to the old one/);
  await expect(start(SECOND, THIRD)).rejects.toThrow(Refusal);
  expect(await remembered()).toEqual(before);
  await start(FIRST);
});

test('a new server key needs the previous one, under which the process then still writes', async () => {
  await start(FIRST);
  const before = await remembered();
  const vault = vaultOf(SECOND, FIRST);
  await rememberKey(db, vault);
  expect(vaultOf(FIRST).open(vault.seal('a secret', 'its place'), 'its place')).toBe('a secret');
  await start(THIRD, SECOND, FIRST);
  await expect(start(SECOND)).rejects.toThrow(Refusal);
  expect(await remembered()).toEqual(before);
});

test('two concurrent first starts agree on one server key', async () => {
  const outcomes = await Promise.allSettled([start(FIRST), start(SECOND), start(FIRST), start(SECOND)]);
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(2);
});

test('the stored fingerprint reveals neither the server key nor the data it protects', async () => {
  await start(FIRST);
  const text = JSON.stringify(await remembered());
  expect(text).not.toContain(FIRST);
  expect(text).not.toContain(Buffer.from(FIRST).toString('hex'));
  expect(text.match(/[0-9a-f]{9,}/)).toBeNull();
});

test('values encrypted or fingerprinted before a key rotation stay valid, and new ones use the new key', () => {
  const before = vaultOf(FIRST);
  const sealed = before.seal('a secret', 'its place');
  const print = before.fingerprint('purpose', 'text');

  const during = vaultOf(SECOND, FIRST);
  expect(during.open(sealed, 'its place')).toBe('a secret');
  expect(during.fingerprints('purpose', 'text').some((one) => one.equals(print))).toBe(true);
  expect(during.fingerprint('purpose', 'text').equals(print)).toBe(false);

  const fresh = during.seal('another', 'its place');
  expect(vaultOf(SECOND).open(fresh, 'its place')).toBe('another');
  expect(() => vaultOf(FIRST).open(fresh, 'its place')).toThrow(/not known here/);
  expect(() => vaultOf(SECOND).open(sealed, 'its place')).toThrow(/not known here/);
});

/** As a start of a sandbox without SECRET_KEY. */
async function startWithFile(): Promise<string> {
  const random = systemRandom(systemClock);
  const key = readKeyFile(dataDir) ?? (await generateKey({ db, dataDir, random, vaultOf }));
  await rememberKey(db, vaultOf(key), keyFile(dataDir));
  return key;
}

test('ten concurrent first starts of a sandbox generate one server key', async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, startWithFile));
  expect(new Set(keys).size).toBe(1);
  expect(readFileSync(keyFile(dataDir), 'utf8')).toBe(`${keys[0]}\n`);
  expect(readdirSync(dataDir)).toEqual(['secret-key']);
  expect(await startWithFile()).toBe(keys[0]);
});

test.each(['', '\n'])('a key file with %j is replaced on a new database', async (text) => {
  writeFileSync(keyFile(dataDir), text);
  expect(await startWithFile()).toBe(readFileSync(keyFile(dataDir), 'utf8').trim());
});

test('a lost server key is not replaced if the database was written under it', async () => {
  await startWithFile();
  rmSync(keyFile(dataDir));
  await expect(startWithFile()).rejects.toThrow(
    /server key of this database is missing from \S+secret-key: restore/,
  );
  expect(readdirSync(dataDir)).toEqual([]);
  writeFileSync(keyFile(dataDir), 'another key of another database');
  await expect(startWithFile()).rejects.toThrow(
    /written under another server key than the one in \S+secret-key/,
  );
});

test('a generated key that cannot be stored leaves no fingerprint, so the next start generates another', async () => {
  rmSync(dataDir, { recursive: true });
  writeFileSync(dataDir, '');
  const random = systemRandom(systemClock);
  await expect(generateKey({ db, dataDir, random, vaultOf })).rejects.toThrow(/EEXIST|ENOTDIR/);
  expect(await remembered()).toEqual([]);
  rmSync(dataDir);
  await startWithFile();
});
