import type { RequestLog } from '#contract/request-logs.ts';
import { countStatement } from '../db/daily-counts.ts';
import { orderBy, type Page, type Window } from '../db/page.ts';
import type { Sql } from '../db/sql.ts';
import type { RequestLogRow } from './entry.ts';

/** What a list looks for; null where it does not matter. */
export interface RequestLogFilter extends Window {
  account_id: string;
  /** response status codes, both ends included */
  status_from: number;
  status_to: number;
  api_key_id: string | null;
  /** ILIKE patterns */
  text: string | null;
  phone: string | null;
  ip: string | null;
  request_id: string | null;
  /** request types that the search names */
  types: string[];
}

const MATCHING = `
  l.account_id = $1 and l.id >= $2
  and l.response_status_code between $3 and $4
  and ($5::uuid is null or l.api_key_id = $5)
  and ($6::text is null
    or l.endpoint ilike $6
    or l.method ilike $6
    or l.request_type = any ($8::text[])
    or l.recipient ilike $6
    or l.recipient ilike $7
    or host(l.ip_address) ilike $9
    or l.request_id::text like $10
    or l.api_key_id in (select s.id from api_keys s where s.account_id = $1 and s.name ilike $6))`;

const values = (filter: RequestLogFilter) => [
  filter.account_id,
  filter.from_id,
  filter.status_from,
  filter.status_to,
  filter.api_key_id,
  filter.text,
  filter.phone,
  filter.types,
  filter.ip,
  filter.request_id,
];

/** The verification's status now, as its own list shows it. */
const OTP_STATUS = `case when v.status = 'sent' and v.expires_at <= clock_now() then 'expired' else v.status end`;

const OTP = 'left join verifications v on v.account_id = l.account_id and v.id = l.otp_id';

const ORDER = {
  // Ids are ordered by time, and the primary key serves them without a sort.
  created_at: 'l.id',
  request_type: 'l.request_type',
  response_status_code: 'l.response_status_code',
  response_time_ms: 'l.response_time_ms',
  credits_used: 'l.credits_used',
  otp__status: OTP_STATUS,
};

export const selectRequestLogs = (
  sql: Sql,
  filter: RequestLogFilter,
  { ordering, limit, offset }: Page & { ordering: string },
): Promise<RequestLog[]> =>
  sql.rows<RequestLog>(
    // The page is cut out first, so that rows which are passed over are not dressed up.
    `select l.id, l.created_at, l.request_type,
       case when coalesce(l.otp_id::text, l.channel, l.recipient) is not null then json_build_object(
         'id', l.otp_id, 'channel', coalesce(l.channel, v.channel), 'recipient', coalesce(l.recipient, v.recipient),
         'status', ${OTP_STATUS}) end as otp,
       json_build_object('id', l.api_key_id, 'name', coalesce(k.name, '')) as api_key,
       l.response_status_code, l.response_time_ms, l.credits_used, l.endpoint, l.method,
       host(l.ip_address) as ip_address, l.request_id, l.reason, l.count
     from (
       select l.* from request_logs l
       ${ordering.endsWith('otp__status') ? OTP : ''}
       where ${MATCHING} order by ${orderBy(ordering, ORDER, 'l.id')} limit $11 offset $12
     ) l
     left join api_keys k on k.id = l.api_key_id
     ${OTP}
     order by ${orderBy(ordering, ORDER, 'l.id')}`,
    [...values(filter), limit, offset],
  );

const COUNT = countStatement({
  list: 'request_logs',
  from: 'request_logs l',
  id: 'l.id',
  matching: MATCHING,
  counted: `d.account_id = $1 and d.outcome::integer between $3 and $4 and ($5::uuid is null or d.api_key_id = $5)`,
  fromDay: 11,
});

/** What is searched for by its text is counted row by row. */
export const countRequestLogs = async (sql: Sql, filter: RequestLogFilter): Promise<number> => {
  const { n } =
    filter.text === null
      ? await sql.one<{ n: number }>(COUNT, [...values(filter), filter.from_day])
      : await sql.one<{ n: number }>(
          `select count(*) as n from request_logs l where ${MATCHING}`,
          values(filter),
        );
  return n;
};

/** Rows in the order of their ids. What another process counted into the same second of a key is added to. */
export const insertRequestLogs = (sql: Sql, rows: readonly RequestLogRow[]): Promise<number> =>
  sql.run(
    `insert into request_logs as l (account_id, id, api_key_id, request_type, method, endpoint, response_status_code,
       response_time_ms, credits_used, channel, recipient, otp_id, ip_address, request_id, reason, count, created_at)
     select account_id, id, api_key_id, request_type, method, endpoint, response_status_code,
       response_time_ms, credits_used, channel, recipient, otp_id, ip_address, request_id, reason, count, created_at
     from json_to_recordset($1) as r (account_id uuid, id uuid, api_key_id uuid, request_type text, method text,
       endpoint text, response_status_code smallint, response_time_ms real, credits_used smallint, channel text,
       recipient text, otp_id uuid, ip_address inet, request_id uuid, reason text, count integer,
       created_at timestamptz)
     on conflict (account_id, id) do update set count = l.count + excluded.count
       where excluded.reason = 'rate_limited'`,
    [JSON.stringify(rows)],
  );
