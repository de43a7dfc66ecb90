import { GRACE_DAYS, type MessageDomain, PROOF_DAYS } from '@sixdigit/contract/message-links.ts';
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
  case when verified_at is null then 'pending' when lapses_at is null then 'verified' else 'lapsing' end as status`;

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

/** Claims a look-up, at most one in five seconds. */
export const claimCheck = (sql: Sql, { id, account_id }: DomainKey): Promise<DomainRow | undefined> =>
  sql.maybe<DomainRow>(
    `update message_domains set checked_at = clock_now()
     where id = $1 and account_id = $2 and (checked_at is null or checked_at <= clock_now() - interval '5 seconds')
     returning ${ROW}`,
    [id, account_id],
  );

/** Claims domains whose proof is old, and once a day those whose record is missing. */
export const claimDue = (sql: Sql, most: number): Promise<DomainRow[]> =>
  sql.rows<DomainRow>(
    `update message_domains set checked_at = clock_now() where id in (
       select id from message_domains
       where verified_at is not null and checked_at <= clock_now() -
         case when problem is null then interval '${PROOF_DAYS} days' else interval '1 day' end
       order by checked_at limit $1 for update skip locked)
     returning ${ROW}`,
    [most],
  );

export const markFound = (tx: Tx, { id }: Pick<DomainKey, 'id'>): Promise<DomainRow | undefined> =>
  tx.maybe<DomainRow>(
    `update message_domains set verified_at = clock_now(), lapses_at = null, problem = null where id = $1
     returning ${ROW}`,
    [id],
  );

interface Missed extends Pick<DomainRow, 'id' | 'account_id' | 'domain' | 'problem' | 'lapses_at'> {
  /** this look-up was the first without the record */
  begins_to_lapse: boolean;
  has_lapsed: boolean;
}

/**
 * Records a look-up without the record. A verified domain keeps its status for the grace period. If the name server does not
 * respond, the grace period starts only after thirty days without a proof.
 */
export const markMissing = (tx: Tx, { id }: Pick<DomainKey, 'id'>, problem: string) =>
  tx.maybe<Missed>(
    `with before as (select * from message_domains where id = $1 for update),
     after as (
       update message_domains d set problem = $2,
         verified_at = case when b.lapses_at <= clock_now() then null else b.verified_at end,
         lapses_at = case when b.verified_at is null or b.lapses_at <= clock_now() then null
           when b.lapses_at is not null then b.lapses_at
           when $2 <> 'dns_unavailable' or b.verified_at < clock_now() - interval '30 days'
             then clock_now() + interval '${GRACE_DAYS} days' end
       from before b where d.id = b.id returning d.*
     )
     select a.id, a.account_id, a.domain, a.problem, a.lapses_at,
       b.lapses_at is null and a.lapses_at is not null as begins_to_lapse,
       b.verified_at is not null and a.verified_at is null as has_lapsed
     from after a join before b on b.id = a.id`,
    [id, problem],
  );

export const countsForMessages = async (sql: Queryable, account_id: string): Promise<string[]> =>
  (
    await sql.rows<{ domain: string }>(
      `select domain from message_domains
       where account_id = $1 and verified_at is not null and (lapses_at is null or lapses_at > clock_now())`,
      [account_id],
    )
  ).map(({ domain }) => domain);
