import { isIP } from 'node:net';
import { failures } from '@sixdigit/contract/errors.ts';
import {
  type exportRequestLogs,
  type listRequestLogs,
  REQUEST_TYPES,
  type RequestLog,
} from '@sixdigit/contract/request-logs.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { keysNamedLike, keysOfMode } from '../api-keys/api-keys.ts';
import { phonePatternOf } from '../platform/addresses/phone.ts';
import type { Listed } from '../platform/db/list.ts';
import {
  type AboutRecipient,
  containing,
  daysOf,
  endOfWindow,
  filterAbout,
  pageOf,
  patternsFor,
  type WholeRecipient,
  windowOf,
} from '../platform/db/page.ts';
import { hashesFor } from '../platform/db/removed-recipients.ts';
import type { Db, Queryable } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid, uuidFloor } from '../platform/security/random.ts';
import { ENDPOINTS, METHOD } from './entry.ts';
import {
  countRefusedSends,
  findRequestLog,
  type RefusedSends,
  type RequestLogFilter,
  type RequestLogSearch,
  selectRequestLogs,
} from './queries.ts';

type Query = Parsed<typeof listRequestLogs, 'query'>;

export async function requestLogsOf(
  app: Needs<'db' | 'clock' | 'config' | 'vault'>,
  account_id: string,
  query: Query,
  whole?: WholeRecipient,
): Promise<Listed<RequestLog>> {
  const filter = await filterOf(app, account_id, query, whole);
  if (filter === null) return { results: [], count: 0 };
  return selectRequestLogs(app.db, filter, {
    ordering: query.ordering,
    count: query.count,
    ...pageOf(query),
  });
}

/** Throws `not_found` if the request does not exist or belongs to another account. */
export async function requestLogOf(app: Needs<'db'>, account_id: string, id: string): Promise<RequestLog> {
  const found = isUuid(id) ? await findRequestLog(app.db, account_id, id) : undefined;
  if (!found) throw new Failure('not_found');
  return found;
}

const NOT_REFUSED: RefusedSends = { sends: 0, without_credits: 0, has_more: false };

/** Counts a period's refused sends, for which no verification exists. */
export async function refusedSendsOf(
  sql: Queryable,
  {
    country,
    from,
    to,
    ...filter
  }: {
    account_id: string;
    channel: string | null;
    country: string | null;
    api_key_id: string | null;
    from: Date;
    to: Date;
  },
): Promise<RefusedSends> {
  const phones = country === null ? null : phonePatternOf(country);
  if (phones === undefined) return NOT_REFUSED;
  return countRefusedSends(sql, { ...filter, phones, from_id: uuidFloor(from), until_id: uuidFloor(to) });
}

/** One account's failed requests about a recipient, newest first. */
export async function failedRequestsAbout(db: Db, about: AboutRecipient): Promise<RequestLog[]> {
  const { filter, search, page } = filterAbout(about);
  const failed: RequestLogFilter = {
    ...filter,
    days: Number.POSITIVE_INFINITY,
    status: [400, 599],
    type: null,
    phones: null,
    search: { ...search, types: [], reasons: [], problem: null, network: null },
  };
  return (await selectRequestLogs(db, failed, page)).results;
}

/** Null if nothing can match. */
export async function filterOf(
  app: Needs<'db' | 'clock' | 'config' | 'vault'>,
  account_id: string,
  query: Parsed<typeof exportRequestLogs, 'query'>,
  whole?: WholeRecipient,
): Promise<RequestLogFilter | null> {
  const { api_key = null, search, country } = query;
  if (api_key !== null && !isUuid(api_key)) return null;
  const phones = country === undefined ? null : phonePatternOf(country, app.config.extraPhonePrefixes);
  if (phones === undefined) return null;
  const now = app.clock.now();
  const window = windowOf(query.created_after, now);
  const until_id = endOfWindow(query.created_before, now);
  return {
    account_id,
    ...window,
    until_id,
    days: daysOf({ ...window, until_id }, now),
    status: statusRange(query.status_code),
    type: query.status_code === 'refused_send' ? 'send_otp' : null,
    channel: query.channel ?? null,
    phones,
    carrier: query.carrier ?? null,
    api_key_id: api_key,
    mode: await keysOfMode(app, account_id, { mode: query.mode, api_key }),
    search: await searchOf(app, account_id, { search: search.toLowerCase(), whole }),
  };
}

/**
 * Matches part of a recipient, an API key's name, a request type, its endpoint, the reason of a refusal or a refused field. Also matches an IP
 * address and the full id of a request or a verification. Null if every row matches.
 */
async function searchOf(
  app: Needs<'db' | 'config' | 'vault'>,
  account_id: string,
  { search, whole }: { search: string; whole: WholeRecipient },
): Promise<RequestLogSearch | null> {
  if (search === '' || METHOD.toLowerCase().includes(search)) return null;
  const types = REQUEST_TYPES.filter((type) => NAMES[type].some((name) => name.includes(search)));
  if (types.length === REQUEST_TYPES.length) return null;
  return {
    types,
    reasons: reasonsNamedLike(search),
    // Without a letter it is a number or an address, as some sentences contain as an example.
    problem: /\p{L}{3}/u.test(search) ? containing(search) : null,
    recipients: patternsFor(search, whole),
    hashes: hashesFor(app, search, whole),
    keys: await keysNamedLike(app, account_id, search),
    network: networkOf(search),
    id: isUuid(search) ? { value: search, ...rowsAbout(search) } : null,
  };
}

/** The texts by which a search finds each request type: its stored name, its displayed name and its endpoint. */
const NAMES: Record<(typeof REQUEST_TYPES)[number], readonly string[]> = {
  send_otp: ['send_otp', 'send otp', ENDPOINTS.send_otp],
  verify_otp: ['verify_otp', 'verify otp', ENDPOINTS.verify_otp],
};

const REASONS: readonly string[] = Object.keys(failures);

/** 'invalid code' finds `invalid_code`. */
function reasonsNamedLike(search: string): string[] {
  const part = search.replaceAll(' ', '_');
  return part.length < 3 ? [] : REASONS.filter((reason) => reason.includes(part));
}

/** An IP address, or the network given by its first bytes, such as `203.0.113.`. */
function networkOf(search: string): string | null {
  if (isIP(search)) return search;
  const bytes = search.replace(/\.$/, '').split('.');
  if (
    !search.includes('.') ||
    bytes.length > 3 ||
    !bytes.every((byte) => /^\d{1,3}$/.test(byte) && Number(byte) < 256)
  )
    return null;
  return `${[...bytes, '0', '0', '0'].slice(0, 4).join('.')}/${bytes.length * 8}`;
}

const MINUTE_MS = 60_000;
/** All requests about a verification are made within this time after its send, because codes are valid for at most an hour. */
const TOLD_MS = 120 * MINUTE_MS;

/** The id range of the rows about an id. Ids contain their time, and such rows are written soon after it. */
function rowsAbout(id: string): { low: string; high: string } {
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
  return { low: uuidFloor(new Date(ms - MINUTE_MS)), high: uuidFloor(new Date(ms + TOLD_MS)) };
}

const CLASSES: Partial<Record<Query['status_code'], [number, number]>> = {
  success: [200, 299],
  client_error: [400, 499],
  refused_send: [400, 499],
  server_error: [500, 599],
};

const statusRange = (filter: Query['status_code']): readonly [number, number] | null =>
  filter === 'all' ? null : (CLASSES[filter] ?? [Number(filter), Number(filter)]);
