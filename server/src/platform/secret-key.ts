import type { Sql } from './db/sql.ts';
import { addFact, findFact, setFact } from './facts.ts';
import { Refusal } from './refusal.ts';
import type { Vault } from './vault.ts';

const KEY_ID = 'secret_key_id';

/**
 * The database stores the id of its server key, because another key could not read its codes, secrets and sessions. A new key is
 * accepted if SECRET_KEY_PREVIOUS names the old one.
 */
export async function rememberKey(sql: Sql, vault: Vault): Promise<void> {
  await addFact(sql, KEY_ID, vault.keyId);
  const stored = await storedKeyId(sql);
  if (stored === undefined || stored === vault.keyId) return;
  if (!vault.previousKeyIds.includes(stored))
    throw new Refusal(
      'This database was written under another SECRET_KEY. Start with that one; to change it, set SECRET_KEY to the new one and SECRET_KEY_PREVIOUS to the old one.',
    );
  await setFact(sql, KEY_ID, vault.keyId);
}

/** The id of the key that the database was written under; undefined before the first start. */
export const storedKeyId = async (sql: Sql): Promise<string | undefined> =>
  (await findFact(sql, KEY_ID))?.value;
