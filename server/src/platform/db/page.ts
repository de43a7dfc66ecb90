/** Functions that all lists share. Values are passed as parameters; only names from a fixed set are inlined in SQL. */

import type { Role } from '@sixdigit/contract/roles.ts';
import { MAY_BE_MASKED } from '../security/masks.ts';
import { uuidFloor } from '../security/random.ts';
import { likeLiteral, type Queryable } from './sql.ts';

export interface Page {
  limit: number;
  offset: number;
}

export const pageOf = ({ page, page_size }: { page: number; page_size: number }): Page => ({
  limit: page_size,
  offset: (page - 1) * page_size,
});

/** An ILIKE pattern for "contains this text", or null without a search. */
export const containing = (search: string): string | null =>
  search === '' ? null : `%${likeLiteral(search)}%`;

/**
 * LIKE patterns for stored recipients: e-mail addresses in lower case, phone numbers in E.164. ILIKE would take three times as
 * long.
 */
export function recipientPatterns(search: string): string[] {
  const phone = containingPhone(search);
  // Every text that contains `+1415` also contains `1415`, so one pattern suffices. A second pattern would double the time.
  if (phone !== null && /^\+\d+$/.test(search)) return [phone];
  return [containing(search.toLowerCase()), phone].filter((pattern) => pattern !== null);
}

/**
 * The recipient for readers who see recipients masked. They can search only for a whole recipient, because searches for parts
 * would reveal it character by character. Null if the search is not a whole recipient. Undefined for readers who see recipients
 * unmasked.
 */
export type WholeRecipient = string | null | undefined;

/** A member of the account. */
export interface Reader {
  role: Role;
}

/** For a member's search. Viewers cannot search for recipients: a search for a whole one would confirm a guess. */
export const wholeFor = ({ role }: Reader): WholeRecipient => (role === 'viewer' ? null : undefined);

/** Like `recipientPatterns`, for readers who see recipients masked or unmasked. */
export const patternsFor = (search: string, whole: WholeRecipient): string[] => {
  if (whole === undefined) return recipientPatterns(search);
  return whole === null ? [] : [likeLiteral(whole)];
};

/**
 * The SQL for a text column in a search. For readers who see recipients masked, a text that contains a recipient in a form that
 * `maskedText` masks counts as empty.
 */
export const searchable = (column: string, isMasked: boolean): string =>
  isMasked ? `case when ${column} ~ '[+][0-9][0-9\\s().-]{6,}[0-9]|@' then '' else ${column} end` : column;

/** The SQL for a text column in a member's search. For viewers, a text in which something may be masked counts as empty. */
export const searchableBy = ({ role }: Reader, column: string): string =>
  role === 'viewer' ? `case when ${column} ~ '${MAY_BE_MASKED}' then '' else ${column} end` : column;

/** A pattern that finds a formatted number such as `(555) 010-0123` in E.164. Null if the search is not a phone number. */
export function containingPhone(search: string): string | null {
  if (!/^\+?[\d\s().-]+$/.test(search)) return null;
  const digits = search.replace(/\D/g, '');
  return digits.length >= 3 && digits !== search ? `%${digits}%` : null;
}

/**
 * `-name` sorts in descending order. Equal values are sorted newest first by the time-ordered id. Nulls come last in both
 * directions.
 */
export function orderBy(ordering: string, columns: Record<string, string>, id: string): string {
  const descends = ordering.startsWith('-');
  const column = columns[descends ? ordering.slice(1) : ordering];
  if (column === undefined) throw new Error(`No order by ${ordering}`);
  const direction = descends ? 'desc' : 'asc';
  return column === id ? `${id} ${direction}` : `${column} ${direction} nulls last, ${id} desc`;
}

/** Lower than every id. */
export const EVER = '00000000-0000-0000-0000-000000000000';
const DAY_MS = 86_400_000;
/** The last day whose year has four digits. */
const LAST_DAY_MS = Date.UTC(9999, 11, 31);

/** The id below which a time window ends; null without an end. */
export const endOfWindow = (createdBefore: string | undefined, at: Date): string | null =>
  createdBefore === undefined ? null : uuidFloor(startOf(createdBefore, at));

/** The time in a time-ordered id. */
const msOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The day (UTC) of a time-ordered id. */
export const dayOfId = (id: string): string =>
  new Date(Math.min(msOfId(id), LAST_DAY_MS)).toISOString().slice(0, 10);

/** A time window: its lowest id and its first whole day (UTC). */
export interface Window {
  from_id: string;
  from_day: string;
  /** the id below which it ends, if it ends before now */
  until_id?: string | null;
}

const ALL_TIME: Window = { from_id: EVER, from_day: '0001-01-01' };

/** Asks for one account's newest rows about a recipient, without a count. */
export interface AboutRecipient {
  account_id: string;
  /** as it is stored */
  recipient: string;
  /** its keyed hashes, for rows whose recipient was removed */
  hashes: Buffer[];
  /** the id below which the rows begin; null for the newest */
  before: string | null;
  most: number;
}

/** The parts of a list's statement that find rows about a recipient. The search index of recipients finds them. */
export const filterAbout = ({ account_id, recipient, hashes, before, most }: AboutRecipient) => ({
  filter: {
    account_id,
    ...ALL_TIME,
    until_id: before,
    channel: null,
    carrier: null,
    api_key_id: null,
    mode: null,
  },
  search: { recipients: [likeLiteral(recipient)], hashes, keys: { ids: [] }, id: null },
  page: { ordering: '-created_at', count: 'later' as const, limit: most, offset: 0 },
});

/** One part of a list in the order of its time-ordered ids, newest first. */
export interface PartOf {
  /** the part ends below this id */
  below: string;
  /** the number of rows that the part reads, whether or not they match; limits the work of a statement */
  most: number;
}

interface Scope extends PartOf {
  /** `ledger` */
  from: string;
  /** the first column of the primary key, which is followed by the id */
  owner: 'account_id' | 'endpoint_id';
  owner_id: string;
  from_id: string;
}

/** The lowest id of a part, or null if fewer rows are left. */
export async function beginOfPart(
  sql: Queryable,
  { from, owner, owner_id, from_id, below, most }: Scope,
): Promise<string | null> {
  const row = await sql.maybe<{ id: string }>(
    `select id from ${from} where ${owner} = $1 and id >= $2 and id < $3 order by id desc offset $4 limit 1`,
    [owner_id, from_id, below, most - 1],
  );
  return row?.id ?? null;
}

const FIVE_MINUTES_MS = 300_000;

export const startOfFiveMinutes = (at: Date): Date =>
  new Date(Math.floor(at.getTime() / FIVE_MINUTES_MS) * FIVE_MINUTES_MS);
/** The end of the current five minutes. Periods of whole days and hours end then, in lists as in the figures above them. */
export const endOfFiveMinutes = (at: Date): Date =>
  new Date(startOfFiveMinutes(at).getTime() + FIVE_MINUTES_MS);

/** The start of a time window: a number of days before the end of the current five minutes, or an instant. */
export function windowOf(createdAfter: string | undefined, at: Date): Window {
  if (createdAfter === undefined) return ALL_TIME;
  const from = startOf(createdAfter, at);
  const day = new Date(Math.min(Math.ceil(from.getTime() / DAY_MS) * DAY_MS, LAST_DAY_MS));
  return { from_id: uuidFloor(from), from_day: day.toISOString().slice(0, 10) };
}

/** The length of a time window in days; Infinity if it has no beginning. */
export function daysOf({ from_id, until_id }: Window, at: Date): number {
  if (from_id === EVER) return Number.POSITIVE_INFINITY;
  const untilMs = until_id ? Math.min(msOfId(until_id), at.getTime()) : at.getTime();
  return Math.max(0, untilMs - msOfId(from_id)) / DAY_MS;
}

function startOf(createdAfter: string, at: Date): Date {
  if (/^\d{1,4}$/.test(createdAfter))
    return new Date(endOfFiveMinutes(at).getTime() - Number(createdAfter) * DAY_MS);
  return new Date(createdAfter);
}
