import type { OtpStatus, StatusLog, Verification, VerificationDetail } from '#contract/otp.ts';
import { countStatement } from '../db/daily-counts.ts';
import { orderBy, type Page, type Window } from '../db/page.ts';
import type { Sql } from '../db/sql.ts';

/** What a list looks for; null where it does not matter. */
export interface VerificationFilter extends Window {
  account_id: string;
  status: OtpStatus | null;
  api_key_id: string | null;
  /** ILIKE patterns */
  text: string | null;
  phone: string | null;
}

/** As stored, but what has expired says so even before the sweep has come by. One still pending then will have failed. */
const SHOWN_STATUS = `case when v.status = 'sent' and v.expires_at <= clock_now() then 'expired' else v.status end`;

const MATCHING = `
  v.account_id = $1 and v.id >= $2
  and ($3::text is null or ${SHOWN_STATUS} = $3)
  and ($4::uuid is null or v.api_key_id = $4)
  and ($5::text is null
    or v.recipient ilike $5
    or v.recipient ilike $6
    or v.api_key_id in (select s.id from api_keys s where s.account_id = $1 and s.name ilike $5))`;

const values = (filter: VerificationFilter) => [
  filter.account_id,
  filter.from_id,
  filter.status,
  filter.api_key_id,
  filter.text,
  filter.phone,
];

const LISTED = `v.id, v.recipient, v.channel, ${SHOWN_STATUS} as status, v.cost_credits, v.created_at,
  json_build_object('id', v.api_key_id, 'name', coalesce(k.name, '')) as api_key`;

const ORDER = {
  // Ids are ordered by time, and the primary key serves them without a sort.
  created_at: 'v.id',
  status: SHOWN_STATUS,
  recipient: 'v.recipient',
  channel: 'v.channel',
  cost_credits: 'v.cost_credits',
};

export const selectVerifications = (
  sql: Sql,
  filter: VerificationFilter,
  { ordering, limit, offset }: Page & { ordering: string },
): Promise<Verification[]> =>
  sql.rows<Verification>(
    // The page is cut out first, so that rows which are passed over are not dressed up.
    `select ${LISTED}
     from (
       select v.* from verifications v
       where ${MATCHING} order by ${orderBy(ordering, ORDER, 'v.id')} limit $7 offset $8
     ) v
     left join api_keys k on k.id = v.api_key_id
     order by ${orderBy(ordering, ORDER, 'v.id')}`,
    [...values(filter), limit, offset],
  );

const COUNT = countStatement({
  list: 'verifications',
  from: 'verifications v',
  id: 'v.id',
  matching: MATCHING,
  counted: `d.account_id = $1 and ($3::text is null or d.outcome = $3) and ($4::uuid is null or d.api_key_id = $4)`,
  fromDay: 7,
});

/** What is searched for by its text is counted row by row. */
export const countVerifications = async (sql: Sql, filter: VerificationFilter): Promise<number> => {
  const { n } =
    filter.text === null
      ? await sql.one<{ n: number }>(COUNT, [...values(filter), filter.from_day])
      : await sql.one<{ n: number }>(
          `select count(*) as n from verifications v where ${MATCHING}`,
          values(filter),
        );
  return n;
};

export const findVerification = (
  sql: Sql,
  account_id: string,
  id: string,
): Promise<Omit<VerificationDetail, 'status_logs'> | undefined> =>
  sql.maybe(
    `select ${LISTED}, v.expires_at, v.sent_at, v.delivered_at, v.verified_at, v.message, v.subject,
       v.provider_message_id, v.failure
     from verifications v left join api_keys k on k.id = v.api_key_id
     where v.account_id = $1 and v.id = $2`,
    [account_id, id],
  );

/** Oldest first. */
export const selectStatusLogs = (sql: Sql, account_id: string, otp_id: string): Promise<StatusLog[]> =>
  sql.rows<StatusLog>(
    `select id, previous_status, new_status, changed_at, host(ip_address) as ip_address, notes
     from status_history where account_id = $1 and otp_id = $2 order by changed_at, id`,
    [account_id, otp_id],
  );
