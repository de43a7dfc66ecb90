import type { MessageDomain } from '@sixdigit/contract/message-links.ts';
import { COUNTS_AS_PROVEN, DOMAIN_STATUS, type ProvenTable } from '../../platform/db/domain-proofs.ts';
import type { Queryable, Sql, Tx } from '../../platform/db/sql.ts';

export interface DomainKey {
  id: string;
  account_id: string;
}

export type DomainRow = Omit<MessageDomain, 'record_name' | 'record_value'> & {
  account_id: string;
  token: string;
};

const ROW = `id, account_id, domain, token, created_at, checked_at, problem, verified_at, lapses_at,
  ${DOMAIN_STATUS} as status`;

export const MESSAGE_DOMAINS: ProvenTable = { table: 'message_domains', key: 'id' };

export const lockDomainsOf = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('select 1 from accounts where id = $1 for no key update', [account_id]);

export const selectDomains = (sql: Queryable, account_id: string): Promise<DomainRow[]> =>
  sql.rows<DomainRow>(`select ${ROW} from message_domains where account_id = $1 order by domain`, [
    account_id,
  ]);

/** Does nothing if the account already has the domain. */
export const insertDomain = (
  tx: Tx,
  { id, account_id, domain, token }: DomainKey & { domain: string; token: string },
): Promise<DomainRow | undefined> =>
  tx.maybe<DomainRow>(
    `insert into message_domains (id, account_id, domain, token, created_at) values ($1, $2, $3, $4, clock_now())
     on conflict (account_id, domain) do nothing returning ${ROW}`,
    [id, account_id, domain, token],
  );

export const deleteDomain = (tx: Tx, { id, account_id }: DomainKey): Promise<DomainRow | undefined> =>
  tx.maybe<DomainRow>(`delete from message_domains where id = $1 and account_id = $2 returning ${ROW}`, [
    id,
    account_id,
  ]);

export const deleteDomainsOf = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('delete from message_domains where account_id = $1', [account_id]);

export const findDomain = (sql: Queryable, { id, account_id }: DomainKey): Promise<DomainRow | undefined> =>
  sql.maybe<DomainRow>(`select ${ROW} from message_domains where id = $1 and account_id = $2`, [
    id,
    account_id,
  ]);

export const selectDomainsById = (sql: Sql, ids: readonly string[]): Promise<DomainRow[]> =>
  sql.rows<DomainRow>(`select ${ROW} from message_domains where id = any ($1::uuid[])`, [ids]);

export const countsForMessages = async (sql: Queryable, account_id: string): Promise<string[]> =>
  (
    await sql.rows<{ domain: string }>(
      `select domain from message_domains
       where account_id = $1 and ${COUNTS_AS_PROVEN}`,
      [account_id],
    )
  ).map(({ domain }) => domain);
