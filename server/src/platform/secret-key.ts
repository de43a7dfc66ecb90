import type { Sql } from './db/sql.ts';
import { Refusal } from './refusal.ts';
import type { Vault } from './vault.ts';

/**
 * The database stores the id of its server key, because another key could not read its codes, secrets and sessions. A new key is
 * accepted if SECRET_KEY_PREVIOUS names the old one.
 */
export async function rememberKey(sql: Sql, vault: Vault): Promise<void> {
  await sql.run(
    `insert into service_facts (name, value) values ('secret_key_id', $1) on conflict (name) do nothing`,
    [vault.keyId],
  );
  const { value } = await sql.one<{ value: string }>(
    `select value from service_facts where name = 'secret_key_id'`,
  );
  if (value === vault.keyId) return;
  if (!vault.previousKeyIds.includes(value))
    throw new Refusal(
      'This database was written under another SECRET_KEY. Start with that one; to change it, set SECRET_KEY to the new one and SECRET_KEY_PREVIOUS to the old one.',
    );
  await sql.run(`update service_facts set value = $1, changed_at = now() where name = 'secret_key_id'`, [
    vault.keyId,
  ]);
}
