import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { addFact, findFact } from '../db/facts.ts';
import type { Db, Sql } from '../db/sql.ts';
import { Refusal, readIfAny } from '../file-problem.ts';
import type { Random } from './random.ts';
import type { Vault } from './vault.ts';

/** The fact that names the key under which all processes write. `lock_sends` and `lock_verifies` read it too. */
export const KEY_ID = 'secret_key_id';

/**
 * Compares the server key with the key id that the database stores, because another key could not read the database's codes,
 * secrets and sessions. With a new SECRET_KEY and the old one in SECRET_KEY_PREVIOUS, the process writes under the old one until
 * every process has the new one (key-rotation.ts). `file` is the file that the key was read from, if it is not a setting.
 */
export async function rememberKey(sql: Sql, vault: Vault, file?: string): Promise<void> {
  await addFact(sql, KEY_ID, vault.keyId);
  const stored = (await storedKeyId(sql)) ?? vault.keyId;
  vault.writeUnder(stored);
  if (vault.lacksKey !== undefined)
    throw new Refusal(
      file
        ? `This database was written under another server key than the one in ${file}: restore that file from a backup, or set SECRET_KEY to the right key.`
        : 'This database was written under another SECRET_KEY. Start with that one; to change it, set SECRET_KEY to the new one and SECRET_KEY_PREVIOUS to the old one.',
    );
}

/** The id of the key that the database was written under; undefined before the first start. */
export const storedKeyId = async (sql: Sql): Promise<string | undefined> =>
  (await findFact(sql, KEY_ID))?.value;

/** Where a sandbox stores the server key that it generated. */
export const keyFile = (dataDir: string): string => join(dataDir, 'secret-key');

/** Undefined if the file does not exist or if a crash has left it empty. Throws a `Refusal` if the file is damaged. */
export function readKeyFile(dataDir: string): string | undefined {
  const text = readIfAny(keyFile(dataDir))?.trim() ?? '';
  if (text === '') return undefined;
  if (text.length < 16 || /[\p{Cc}\ufffd]/u.test(text))
    throw new Refusal(
      `The server key in ${keyFile(dataDir)} is damaged: restore the file from a backup, or set SECRET_KEY to the key.`,
    );
  return text;
}

interface NewKey {
  db: Db;
  dataDir: string;
  random: Pick<Random, 'token'>;
  vaultOf(key: string): Vault;
}

/**
 * Generates and stores the server key of a new database. If several processes start at once, one inserts the key's id; the
 * others wait for its commit and read the file. Throws a sentence for the operator if the database was written under a key that
 * is lost.
 */
export async function generateKey({ db, dataDir, random, vaultOf }: NewKey): Promise<string> {
  const fresh = random.token();
  const isFirst = await db.transaction(async (tx) => {
    if (!(await addFact(tx, KEY_ID, vaultOf(fresh).keyId))) return false;
    writeKeyFile(dataDir, fresh);
    return true;
  });
  const key = isFirst ? fresh : readKeyFile(dataDir);
  if (key) return key;
  throw new Refusal(
    `The server key of this database is missing from ${keyFile(dataDir)}: restore that file from a backup, or set SECRET_KEY to the key.`,
  );
}

/** Writes the file completely or not at all. */
function writeKeyFile(dataDir: string, key: string): void {
  const unfinished = `${keyFile(dataDir)}.new`;
  mkdirSync(dataDir, { recursive: true });
  try {
    const file = openSync(unfinished, 'w', 0o600);
    try {
      chmodSync(unfinished, 0o600);
      writeSync(file, `${key}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, keyFile(dataDir));
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
