import type { CountMode } from '@sixdigit/contract/list.ts';
import type { RequestLog } from '@sixdigit/contract/request-logs.ts';
import { isKeyNamed, type KeysNamed, type KeysOfMode, narrowToKeys } from '../api-keys/api-keys.ts';
import type { PhonePattern } from '../platform/addresses/phone.ts';
import {
  type List,
  type Listed,
  type Order,
  type Params,
  paramsOf,
  selectList,
} from '../platform/db/list.ts';
import { type ListFilter, listFilter, selectPart } from '../platform/db/list-filter.ts';
import type { Page, PartOf, Window } from '../platform/db/page.ts';
import type { Db, Queryable, Sql } from '../platform/db/sql.ts';
import { ENDPOINTS, METHOD, type RequestLogRow } from './entry.ts';

/** The filter of a list; null matches all. */
export interface RequestLogFilter extends Window {
  account_id: string;
  /** the length of the time window; Infinity if it has no beginning */
  days: number;
  /** response status codes, both ends included */
  status: readonly [from: number, to: number] | null;
  type: RequestLog['request_type'] | null;
  channel: string | null;
  /** patterns for the phone numbers of one country */
  phones: PhonePattern | null;
  /** the carrier that accepted the verification's message */
  carrier: string | null;
  api_key_id: string | null;
  mode: KeysOfMode;
  search: RequestLogSearch | null;
}

/** A row matches if any of these does. */
export interface RequestLogSearch {
  /** LIKE patterns for the stored recipient */
  recipients: string[];
  /** keyed hashes of removed recipients */
  hashes: Buffer[];
  keys: KeysNamed;
  types: string[];
  /** reasons of refusals */
  reasons: string[];
  /** an ILIKE pattern for a refused field or its sentence */
  problem: string | null;
  /** an address or a network */
  network: string | null;
  /** the id of a request or a verification, and the id range of its rows */
  id: { value: string; low: string; high: string } | null;
}

/** The verification's current status, as the list of verifications shows it. */
const OTP_STATUS = `case when v.status = 'sent' and v.expires_at <= clock_now() then 'expired' else v.status end`;
const OTP = 'left join verifications v on v.account_id = l.account_id and v.id = l.otp_id';

const LISTED = `l.id, l.created_at, l.request_type,
  case when coalesce(l.otp_id::text, l.channel, l.recipient) is not null then json_build_object(
    'id', l.otp_id, 'channel', coalesce(l.channel, v.channel), 'recipient', coalesce(l.recipient, v.recipient),
    'status', ${OTP_STATUS}) end as otp,
  json_build_object('id', l.api_key_id, 'name', coalesce(k.name, '')) as api_key,
  coalesce(k.mode = 'test', false) as test, l.response_status_code, l.response_time_ms, l.credits_used,
  l.credits_used > 0 and coalesce(v.cost_credits = 0, false) as refunded, coalesce(l.method, '${METHOD}') as method,
  coalesce(l.endpoint, case l.request_type when 'send_otp' then '${ENDPOINTS.send_otp}' else '${ENDPOINTS.verify_otp}' end)
    as endpoint,
  host(l.ip_address) as ip_address, coalesce(l.request_id, l.id) as request_id, l.reason, l.refused_fields, l.blocked_by, l.count`;
const JOINS = `left join api_keys k on k.id = l.api_key_id ${OTP}`;

const ORDERS: Record<string, Order> = {
  created_at: {},
  request_type: { rows: 'l.request_type', counts: 'd.request_type' },
  response_status_code: { rows: 'l.response_status_code', counts: 'd.outcome::smallint' },
  credits_used: { rows: 'l.credits_used', counts: 'd.credits' },
  // matches the index `request_logs_by_duration`
  response_time_ms: {
    rows: '(l.response_time_ms * 10)::integer',
    ties: `(l.created_at at time zone 'UTC')::date`,
    isIndexed: true,
  },
  otp__status: { rows: OTP_STATUS, join: OTP, isNullable: true },
};

export function selectRequestLogs(
  db: Db,
  filter: RequestLogFilter,
  page: Page & { ordering: string; count: CountMode },
): Promise<Listed<RequestLog>> {
  const { list, params } = listOf(filter);
  return selectList(db, list, params, { ...page, isSearch: isSearch(filter) });
}

/** The daily counts do not support these filters. */
const isSearch = ({ search, channel, phones, carrier }: RequestLogFilter): boolean =>
  [search, channel, phones, carrier].some((wanted) => wanted !== null);

export function selectRequestLogPart(
  sql: Queryable,
  filter: RequestLogFilter,
  part: PartOf,
): Promise<{ rows: RequestLog[]; next: string | null }> {
  const { list, params } = listOf(filter);
  return selectPart(sql, list, params, part);
}

export const findRequestLog = (sql: Sql, account_id: string, id: string): Promise<RequestLog | undefined> =>
  sql.maybe<RequestLog>(
    `select ${LISTED} from request_logs l ${JOINS} where l.account_id = $1 and l.id = $2`,
    [account_id, id],
  );

function listOf(wanted: RequestLogFilter): { list: List; params: Params } {
  const { status, type, search } = wanted;
  const filter = listFilter({ table: 'request_logs', row: 'l' }, wanted);
  const { params } = filter;
  if (status) {
    const range = `between ${params.add(status[0])}::integer and ${params.add(status[1])}::integer`;
    filter.and(`l.response_status_code ${range}`, `d.outcome::integer ${range}`);
  }
  if (type) {
    const its = params.add(type);
    filter.andColumn('request_type', (column) => `${column} = ${its}`);
  }
  for (const condition of routed(wanted, filter)) filter.and(condition);
  const isOfSomeKeys = narrowToKeys(filter, wanted);
  if (search) filter.and(searched(search, filter));
  const matching = filter.matching(isOfSomeKeys ? 'requests' : 'all_requests');
  const list = { matching, orders: ORDERS, shown: LISTED, joins: JOINS, isNarrow: isNarrow(wanted) };
  return { list, params };
}

/**
 * The index `request_logs_refused_by_status` finds the refused requests of a month, or those of one status over any time. Other
 * filters read all rows of the time window, and a filter by key reads those of all keys.
 */
const isNarrow = ({ days, status, api_key_id }: RequestLogFilter): boolean => {
  if (!status || status[0] < 400) return days <= 2;
  return days <= 31 || (status[0] === status[1] && api_key_id === null);
};

function routed(
  { channel, phones, carrier }: Pick<RequestLogFilter, 'channel' | 'phones' | 'carrier'>,
  { params, account_id }: Pick<ListFilter, 'params' | 'account_id'>,
): string[] {
  const all: string[] = [];
  if (channel !== null) all.push(`l.channel = ${params.add(channel)}`);
  if (phones) {
    all.push(`l.recipient like ${params.add(phones.like)}`);
    if (phones.matches) all.push(`l.recipient ~ ${params.add(phones.matches)}`);
    if (phones.differs) all.push(`l.recipient !~ ${params.add(phones.differs)}`);
  }
  if (carrier !== null)
    all.push(`exists (select from verifications v
      where v.account_id = ${account_id} and v.id = l.otp_id and v.carrier = ${params.add(carrier)})`);
  return all;
}

function searched(
  { recipients, hashes, keys, types, reasons, problem, network, id }: RequestLogSearch,
  { params, account_id }: ListFilter,
): string {
  if (id) {
    const value = params.add(id.value);
    return `l.id between ${params.add(id.low)} and ${params.add(id.high)}
      and (l.id = ${value} or l.request_id = ${value} or l.otp_id = ${value})`;
  }
  // The cheapest comparisons come first, because the first match ends the evaluation of a row.
  const any: string[] = [];
  if (types.length > 0) any.push(`l.request_type = any (${params.add(types)})`);
  if (reasons.length > 0) any.push(`l.reason = any (${params.add(reasons)})`);
  const named = isKeyNamed(keys, { key: 'l.api_key_id', account_id, add: (value) => params.add(value) });
  if (named) any.push(named);
  any.push(...recipients.map((pattern) => `l.recipient like ${params.add(pattern)}`));
  if (hashes.length > 0) any.push(`l.recipient_hash = any (${params.add(hashes)}::bytea[])`);
  if (problem !== null)
    any.push(`(l.refused_fields is not null and exists (select from jsonb_array_elements(l.refused_fields) f
      where f->>'field' || ': ' || (f->>'message') ilike ${params.add(problem)}))`);
  if (network !== null) any.push(`l.ip_address <<= ${params.add(network)}::inet`);
  if (any.length === 0) return 'false';
  return `(${any.join(' or ')})`;
}

/** A row for several requests contains these only if all of the requests share them. */
export const SHARED = ['channel', 'recipient', 'otp_id', 'ip_address', 'refused_fields'] as const;

/** Inserts rows in id order. If another process has already inserted the row for the same key and second, adds to its count. */
export const insertRequestLogs = (sql: Sql, rows: readonly RequestLogRow[]): Promise<number> =>
  sql.run(
    `insert into request_logs as l (account_id, id, api_key_id, request_type, method, endpoint, response_status_code,
       response_time_ms, credits_used, channel, recipient, otp_id, ip_address, request_id, reason, refused_fields, blocked_by,
       count, created_at)
     select account_id, id, api_key_id, request_type, method, endpoint, response_status_code,
       response_time_ms, credits_used, channel, recipient, otp_id, ip_address, request_id, reason, refused_fields, blocked_by,
       count, created_at
     from json_to_recordset($1) as r (account_id uuid, id uuid, api_key_id uuid, request_type text, method text,
       endpoint text, response_status_code smallint, response_time_ms real, credits_used smallint, channel text,
       recipient text, otp_id uuid, ip_address inet, request_id uuid, reason text, refused_fields jsonb, blocked_by text[], count integer,
       created_at timestamptz)
     on conflict (account_id, id) do update set count = l.count + excluded.count,
       ${SHARED.map((name) => `${name} = case when l.${name} = excluded.${name} then l.${name} end`).join(', ')}
       where excluded.request_id is not null`,
    [JSON.stringify(rows)],
  );

export interface RefusedSends {
  sends: number;
  without_credits: number;
  has_more: boolean;
}

/** The maximum number of refused sends to count, because callers can cause any number of them. */
const COUNTED_MOST = 20_000;

/** Refused sends with live keys. The index `request_logs_refused_by_status` finds them. */
export function countRefusedSends(
  sql: Queryable,
  wanted: Pick<RequestLogFilter, 'account_id' | 'channel' | 'phones' | 'api_key_id'> & {
    from_id: string;
    until_id: string;
  },
): Promise<RefusedSends> {
  const params = paramsOf();
  const account_id = params.add(wanted.account_id);
  const conditions = [
    `l.account_id = ${account_id} and l.response_status_code between 400 and 499 and l.request_type = 'send_otp'`,
    `l.id >= ${params.add(wanted.from_id)} and l.id < ${params.add(wanted.until_id)}`,
    ...routed({ ...wanted, carrier: null }, { params, account_id }),
    ...(wanted.api_key_id === null ? [] : [`l.api_key_id = ${params.add(wanted.api_key_id)}`]),
  ];
  return sql.one<RefusedSends>(
    `select coalesce(sum(r.count), 0)::integer as sends, count(*) > ${COUNTED_MOST} as has_more,
       coalesce(sum(r.count) filter (where r.reason = 'insufficient_credits'), 0)::integer as without_credits
     from (
       select l.count, l.reason from request_logs l left join api_keys k on k.id = l.api_key_id
       where ${conditions.join(' and ')} and k.mode is distinct from 'test'
       limit ${COUNTED_MOST + 1}) r`,
    params.values,
  );
}

/** The requests that one account's keys of a mode have made since a time. */
export interface WantedRequests {
  account_id: string;
  is_test: boolean;
  /** the smallest id */
  from_id: string;
}

/** Requests that are not known yet: the oldest first, and at most `most` for each of `wanted`, by its position. */
export const selectNewRequests = async (
  sql: Sql,
  wanted: readonly WantedRequests[],
  { known, most }: { known: readonly string[]; most: number },
): Promise<{ of: number; row: RequestLog }[]> => {
  const found = await sql.rows<RequestLog & { of: number }>(
    `select w.of, r.*
     from json_to_recordset($1) as w (of integer, account_id uuid, is_test boolean, from_id uuid)
     cross join lateral (
       select ${LISTED} from request_logs l ${JOINS}
       where l.account_id = w.account_id and l.id >= w.from_id and l.id <> all ($2::uuid[])
         and (k.mode = 'test') = w.is_test
       order by l.id limit $3
     ) r
     order by w.of, r.id`,
    [JSON.stringify(wanted.map((one, of) => ({ of, ...one }))), known, most],
  );
  return found.map(({ of, ...row }) => ({ of, row }));
};

/** Returns a text for each account that changes with each new request. */
export const selectNewestRequests = (
  sql: Sql,
  account_ids: readonly string[],
): Promise<{ account_id: string; state: string | null }[]> =>
  sql.rows(
    `select a.account_id, (
       select md5(string_agg(l.id::text || l.count, ','))
       from (
         select id, count from request_logs
         where account_id = a.account_id and id >= uuid_floor(clock_now() - interval '2 hours')
         order by id desc limit 20) l) as state
     from unnest($1::uuid[]) a (account_id)`,
    [account_ids],
  );
