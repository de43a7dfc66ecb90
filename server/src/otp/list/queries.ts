import type { CountMode } from '@sixdigit/contract/list.ts';
import type { RecipientVerification } from '@sixdigit/contract/recipients.ts';
import type { Dlt } from '@sixdigit/contract/templates.ts';
import type {
  OtpStatus,
  StatusLog,
  Verification,
  VerificationDetail,
} from '@sixdigit/contract/verifications.ts';
import { isKeyNamed, type KeysNamed, type KeysOfMode, narrowToKeys } from '../../api-keys/api-keys.ts';
import { type List, type Listed, type Order, type Params, selectList } from '../../platform/db/list.ts';
import { type ListFilter, listFilter, selectPart } from '../../platform/db/list-filter.ts';
import {
  type AboutRecipient,
  filterAbout,
  type Page,
  type PartOf,
  type Window,
} from '../../platform/db/page.ts';
import { type Db, likeLiteral, type Queryable, type Sql } from '../../platform/db/sql.ts';
import type { StoredStep } from '../plans/step.ts';

/** The filter of a list; null fields match everything. */
export interface VerificationFilter extends Window {
  account_id: string;
  status: OtpStatus | null;
  api_key_id: string | null;
  channel: string | null;
  country: string | null;
  carrier: string | null;
  own_code: boolean | null;
  mode: KeysOfMode;
  search: VerificationSearch | null;
}

/** Matches a verification that meets any of these. */
export interface VerificationSearch {
  /** LIKE patterns for the stored recipient. */
  recipients: string[];
  /** keyed hashes of removed recipients */
  hashes: Buffer[];
  keys: KeysNamed;
  id: string | null;
  /** a pair of the metadata */
  pair: [key: string, value: string] | null;
  purpose: string | null;
}

/** The `request_type` of own codes in the daily counts of verifications. */
export const OWN_CODE = 'own_code';

/** The stored status, except that a sent verification past its expiry reads as expired before the sweep job runs. */
export const SHOWN_STATUS = `case when v.status = 'sent' and v.expires_at <= clock_now() then 'expired' else v.status end`;

const LISTED = `v.id, v.recipient, v.channel, ${SHOWN_STATUS} as status, v.cost_credits, v.segments, v.country, v.carrier, v.created_at, v.is_test as test,
  v.own_code, v.resend_of, v.language, v.outcome,
  json_build_object('id', v.api_key_id, 'name', coalesce(k.name, '')) as api_key`;
const KEY = 'left join api_keys k on k.id = v.api_key_id';

const ORDERS: Record<string, Order> = {
  created_at: {},
  status: { rows: SHOWN_STATUS, counts: 'd.outcome' },
};

export function selectVerifications(
  db: Db,
  filter: VerificationFilter,
  page: Page & { ordering: string; count: CountMode },
): Promise<Listed<Verification>> {
  const { list, params } = listOf(filter);
  return selectList(db, list, params, { ...page, isSearch: filter.search !== null });
}

/** A row of an export. */
export interface ExportedVerification extends Verification {
  sent_at: string | null;
  delivered_at: string | null;
  verified_at: string | null;
  failure: string | null;
  purpose: string | null;
  template: string | null;
  /** as JSON */
  metadata: string | null;
}

export function selectVerificationPart(
  sql: Queryable,
  filter: VerificationFilter,
  part: PartOf,
): Promise<{ rows: ExportedVerification[]; next: string | null }> {
  const { list, params } = listOf(filter);
  const shown = `${LISTED}, v.sent_at, v.delivered_at, v.verified_at, v.failure, v.purpose, v.template, v.metadata`;
  return selectPart(sql, { ...list, shown }, params, part);
}

/** One account's sends to a recipient, newest first. */
export async function selectSendsTo(db: Db, about: AboutRecipient): Promise<RecipientVerification[]> {
  const { filter, search, page } = filterAbout(about);
  const { list, params } = listOf({
    ...filter,
    status: null,
    country: null,
    own_code: null,
    search: { ...search, pair: null, purpose: null },
  });
  const shown = `${LISTED}, v.expires_at, v.sent_at, v.delivered_at, v.verified_at, v.failure, v.closed_by`;
  const request = { ...page, isSearch: true };
  return (await selectList<RecipientVerification>(db, { ...list, shown }, params, request)).results;
}

/** The parts of a list's statement that filter `verifications v`. */
export function listOf(wanted: VerificationFilter): { list: List; params: Params } {
  const { status, own_code, search } = wanted;
  const filter = listFilter({ table: 'verifications', row: 'v' }, wanted);
  const { params } = filter;
  const route = (['channel', 'country', 'carrier'] as const).filter((column) => wanted[column] !== null);
  for (const name of route) {
    const its = params.add(wanted[name]);
    filter.andColumn(name, (column) => `${column} = ${its}`);
  }
  if (status !== null) {
    const its = params.add(status);
    filter.and(`${SHOWN_STATUS} = ${its}`, `d.outcome = ${its}`);
  }
  if (own_code !== null)
    filter.and(
      own_code ? 'v.own_code' : 'not v.own_code',
      `d.request_type ${own_code ? '=' : '<>'} '${OWN_CODE}'`,
    );
  const isOfSomeKeys = narrowToKeys(filter, wanted);
  if (search) filter.and(searched(search, filter));
  const counted = route.length > 0 ? ('routes' as const) : ('verifications' as const);
  const matching = filter.matching(isOfSomeKeys ? counted : `all_${counted}`);
  return { list: { matching, orders: ORDERS, shown: LISTED, joins: KEY }, params };
}

function searched(
  { recipients, hashes, keys, id, pair, purpose }: VerificationSearch,
  { params, account_id }: ListFilter,
): string {
  const any = recipients.map((pattern) => `v.recipient like ${params.add(pattern)}`);
  if (hashes.length > 0) any.push(`v.recipient_hash = any (${params.add(hashes)}::bytea[])`);
  const named = isKeyNamed(keys, { key: 'v.api_key_id', account_id, add: (value) => params.add(value) });
  if (named) any.push(named);
  if (id !== null) any.push(`v.id = ${params.add(id)}`);
  if (purpose !== null) any.push(`v.purpose = ${params.add(purpose)}`);
  // Quotes within a value are escaped, so only a pair matches.
  if (pair)
    any.push(
      `v.metadata like ${params.add(`%${likeLiteral(pair.map((text) => JSON.stringify(text)).join(':'))}%`)}`,
    );
  return any.length === 0 ? 'false' : `(${any.join(' or ')})`;
}

/** Also what *Send again* repeats, which no screen shows. */
export type StoredVerification = VerificationDetail & { dlt: Dlt | null };

/** Its history and the steps of its plan are read apart. */
export type FoundVerification = Omit<StoredVerification, 'status_logs' | 'steps'> & {
  planned: StoredStep[] | null;
  closed_by: string | null;
  is_open: boolean;
};

export const findVerification = (
  sql: Sql,
  account_id: string,
  id: string,
): Promise<FoundVerification | undefined> =>
  sql.maybe(
    `select ${LISTED}, v.expires_at, v.sent_at, v.delivered_at, v.verified_at, v.message, v.subject,
       v.provider_message_id, v.failure, v.locale, v.template, v.template_version, v.dlt, v.purpose, v.lookup, v.code_length,
       v.max_attempts, coalesce(v.resend_ids, '{}') as resends, v.metadata::json as metadata, v.outcome_at,
       v.plan -> 'steps' as planned, v.closed_by, v.code_hmac is not null and v.closed_by is null and v.expires_at > clock_now() as is_open
     from verifications v ${KEY}
     where v.account_id = $1 and v.id = $2`,
    [account_id, id],
  );

/**
 * A verification's history, oldest first, with ids derived from the verification's id. Its creation, acceptance by a carrier,
 * delivery and correct code are read from the verification row unless history rows record them, as they may for earlier
 * versions.
 */
export const selectStatusLogs = (sql: Sql, account_id: string, otp_id: string): Promise<StatusLog[]> =>
  sql.rows<StatusLog>(
    `select overlay($2::text placing lpad(to_hex(row_number() over (
         order by changed_at, previous_status is not null, previous_status is distinct from 'pending',
           previous_status is not distinct from 'verified', new_status <> 'sent')), 4, '0') from 33)::uuid as id,
       previous_status, new_status, changed_at, host(ip_address) as ip_address, notes
     from (
       select previous_status, new_status, changed_at, ip_address, notes
       from status_history where account_id = $1 and otp_id = $2::uuid
       union all
       select null, 'pending', v.created_at, v.ip_address, null
       from verifications v where v.account_id = $1 and v.id = $2::uuid and not exists (
         select from status_history h where h.account_id = $1 and h.otp_id = $2::uuid and h.previous_status is null)
       union all
       select 'pending', 'sent', v.sent_at, null, 'Accepted by ' || v.carrier || coalesce(' from ' || v.sender, '')
       from verifications v where v.account_id = $1 and v.id = $2::uuid and v.sent_at is not null and not exists (
         select from status_history h where h.account_id = $1 and h.otp_id = $2::uuid and h.previous_status = 'pending'
           and h.new_status <> 'pending')
       union all
       select 'sent', 'sent', v.delivered_at, null, 'Delivered'
       from verifications v where v.account_id = $1 and v.id = $2::uuid and v.delivered_at is not null and not exists (
         select from status_history h where h.account_id = $1 and h.otp_id = $2::uuid and h.new_status = h.previous_status
           and h.notes = 'Delivered')
       union all
       select 'sent', 'verified', v.verified_at, v.verified_ip, null
       from verifications v where v.account_id = $1 and v.id = $2::uuid and v.verified_at is not null and not exists (
         select from status_history h where h.account_id = $1 and h.otp_id = $2::uuid and h.new_status = 'verified'
           and h.previous_status is distinct from 'verified')
     ) h order by id`,
    [account_id, otp_id],
  );

/**
 * For each account, a text that changes whenever one of its newest verifications does. Verifications older than two hours are
 * final.
 */
export const selectNewestStates = (
  sql: Sql,
  account_ids: readonly string[],
): Promise<{ account_id: string; state: string | null }[]> =>
  sql.rows(
    `select a.account_id, (
       select md5(string_agg(v.id::text || v.status || coalesce(v.delivered_at::text, '') || coalesce(v.outcome, ''), ','))
       from (
         select id, status, delivered_at, outcome from verifications
         where account_id = a.account_id and id >= uuid_floor(clock_now() - interval '2 hours')
         order by id desc limit 50) v) as state
     from unnest($1::uuid[]) a (account_id)`,
    [account_ids],
  );
