import type { Suppression, SuppressionReason } from '@sixdigit/contract/suppressions.ts';
import { lockKey } from '../../platform/db/advisory-locks.ts';
import { beginOfPart, EVER, type Page, type PartOf } from '../../platform/db/page.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';

export type SuppressionRow = Suppression;

const ROW = 'id, recipient, reason, carrier, otp_id, detail, created_at, until';
const IN_FORCE = '(until is null or until > clock_now())';

interface NewRow {
  id: string;
  account_id: string;
  fingerprint: Buffer;
  /** the address's hashes under other server keys */
  older: Buffer[];
  /** masked */
  recipient: string;
  reason: SuppressionReason;
  /** how many in a row suppress the address */
  soft_bounces: number;
  carrier: string | null;
  otp_id: string | null;
  detail: string | null;
  by_mail: boolean;
}

/** Adds an entry, counts another soft bounce, or replaces a row of soft bounces by a lasting reason. */
export const insertSuppression = async (tx: Tx, row: NewRow): Promise<SuppressionRow> => {
  // A row under an older server key is the same address's.
  await tx.run('update suppressions set fingerprint = $3 where account_id = $1 and fingerprint = any ($2)', [
    row.account_id,
    row.older,
    row.fingerprint,
  ]);
  return tx.one<SuppressionRow>(
    `insert into suppressions as s (id, account_id, fingerprint, recipient, reason, soft_bounces, carrier, otp_id, detail,
       by_mail, created_at, until)
     select $1, $2, $3, $4, $5, (n.is_soft)::integer, $6, $7, $8, $10, clock_now(), case when n.is_soft then clock_now() end
     from (select $5 = 'soft_bounces' as is_soft) n
     on conflict (fingerprint, account_id) do update set
       reason = case when s.reason = 'soft_bounces' then excluded.reason else s.reason end,
       soft_bounces = s.soft_bounces + (s.reason = 'soft_bounces')::integer * excluded.soft_bounces,
       carrier = case when s.reason = 'soft_bounces' then excluded.carrier else s.carrier end,
       otp_id = case when s.reason = 'soft_bounces' then excluded.otp_id else s.otp_id end,
       detail = case when s.reason = 'soft_bounces' then excluded.detail else s.detail end,
       by_mail = case when s.reason = 'soft_bounces' then excluded.by_mail else s.by_mail end,
       created_at = case when s.reason = 'soft_bounces' then excluded.created_at else s.created_at end,
       until = case when s.reason <> 'soft_bounces' or excluded.reason <> 'soft_bounces' then null
         when s.soft_bounces + 1 >= $9 then clock_now() + interval '1 day' else clock_now() end
     returning ${ROW}`,
    [
      row.id,
      row.account_id,
      row.fingerprint,
      row.recipient,
      row.reason,
      row.carrier,
      row.otp_id,
      row.detail,
      row.soft_bounces,
      row.by_mail,
    ],
  );
};

/** Prevents concurrent additions to an account's entries until the transaction ends. */
export const lockSuppressionsOf = (tx: Tx, account_id: string): Promise<number> =>
  lockKey(tx, 'suppressions', account_id);

/** Those that the account added. */
export const countAdded = async (tx: Tx, account_id: string): Promise<number> =>
  (
    await tx.one<{ n: number }>(
      'select count(*) as n from suppressions where account_id = $1 and carrier is null',
      [account_id],
    )
  ).n;

export const selectSuppressionOf = (
  sql: Queryable,
  account_id: string,
  fingerprints: Buffer[],
): Promise<SuppressionRow | undefined> =>
  sql.maybe<SuppressionRow>(
    `select ${ROW} from suppressions where account_id = $1 and fingerprint = any ($2) and ${IN_FORCE} limit 1`,
    [account_id, fingerprints],
  );

export interface DeletedRow extends SuppressionRow {
  /** Mails of another account to the address failed or were reported too. */
  is_others_too: boolean;
}

export const deleteSuppressionRow = (
  tx: Tx,
  account_id: string,
  id: string,
): Promise<DeletedRow | undefined> =>
  tx.maybe<DeletedRow>(
    `delete from suppressions s where account_id = $1 and id = $2
     returning ${ROW}, exists (select from suppressions o
       where o.fingerprint = s.fingerprint and o.account_id <> $1 and o.carrier is not null) as is_others_too`,
    [account_id, id],
  );

// ── lists ──

export interface Filter {
  account_id: string;
  reason: SuppressionReason | null;
  /** a pattern; null without a search */
  text: string | null;
  /** of the address that was searched for */
  fingerprints: Buffer[];
}

const MATCHING = `account_id = $1 and ${IN_FORCE} and ($2::text is null or reason = $2)
  and ($3::text is null or recipient ilike $3 or detail ilike $3 or fingerprint = any ($4))`;
const valuesOf = ({ account_id, reason, text, fingerprints }: Filter) => [
  account_id,
  reason,
  text,
  fingerprints,
];

export async function selectSuppressions(
  sql: Queryable,
  filter: Filter,
  { ordering, limit, offset }: Page & { ordering: 'created_at' | '-created_at' },
): Promise<{ results: SuppressionRow[]; count: number }> {
  const direction = ordering.startsWith('-') ? 'desc' : 'asc';
  const values = valuesOf(filter);
  const [results, { count }] = await Promise.all([
    sql.rows<SuppressionRow>(
      `select ${ROW} from suppressions where ${MATCHING} order by created_at ${direction}, id ${direction} limit $5 offset $6`,
      [...values, limit, offset],
    ),
    sql.one<{ count: number }>(`select count(*) as count from suppressions where ${MATCHING}`, values),
  ]);
  return { results, count };
}

export async function selectSuppressionPart(
  tx: Tx,
  filter: Filter,
  part: PartOf,
): Promise<{ rows: SuppressionRow[]; next: string | null }> {
  const { account_id } = filter;
  const next = await beginOfPart(tx, {
    from: 'suppressions',
    owner: 'account_id',
    owner_id: account_id,
    from_id: EVER,
    ...part,
  });
  const rows = await tx.rows<SuppressionRow>(
    `select ${ROW} from suppressions where ${MATCHING} and id >= $5 and id < $6 order by id desc`,
    [...valuesOf(filter), next ?? EVER, part.below],
  );
  return { rows, next };
}
