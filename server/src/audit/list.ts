import {
  type AuditEntry,
  type AuditGroup,
  actionsIn,
  type exportAuditEntries,
  GROUP_NAMES,
  labelOfAction,
  type listAuditEntries,
} from '@sixdigit/contract/audit.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import type { PlaceOf } from '../platform/addresses/places.ts';
import {
  beginOfPart,
  containing,
  endOfWindow,
  orderBy,
  type PartOf,
  pageOf,
  searchable,
  windowOf,
} from '../platform/db/page.ts';
import type { Queryable } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';

/** The parameters of `matching`. */
type Filter = readonly [
  account_id: string,
  from_id: string,
  before_id: string | null,
  actions: readonly string[] | null,
  actor: string | null,
  search: string | null,
  searched_actions: readonly string[],
  person_id: string | null,
];

/** A search matches the text shown on the screen: the action, its subject, the network address and the device. */
export function filterOf(
  { clock }: Needs<'clock'>,
  account_id: string,
  query: Parsed<typeof exportAuditEntries, 'query'>,
): Filter {
  const { group, actor = null, person_id = null, search } = query;
  return [
    account_id,
    windowOf(query.created_after, clock.now()).from_id,
    endOfWindow(query.created_before, clock.now()),
    group === undefined ? null : actionsIn(group),
    actor,
    containing(search),
    actionsNamedLike(search.toLowerCase()),
    person_id,
  ];
}

const actionsNamedLike = (search: string): string[] =>
  GROUP_NAMES.flatMap((group: AuditGroup) => actionsIn(group)).filter(
    (action) => action.includes(search) || labelOfAction(action).toLowerCase().includes(search),
  );

const matching = (isMasked: boolean): string =>
  `account_id = $1 and id >= $2 and ($3::uuid is null or id < $3) and ($4::text[] is null or action = any ($4))
  and ($5::text is null or actor = $5) and ($8::uuid is null or person_id = $8)
  and ($6::text is null or action = any ($7) or ${searchable('subject', isMasked)} ilike $6
    or host(ip_address) ilike $6 or user_agent ilike $6)`;
const PERSON = `case when person_id is not null then json_build_object('id', person_id,
  'email', (select email from people where people.id = audit_entries.person_id)) end as person`;
const SHOWN = `id, created_at, actor, ${PERSON}, action, subject, before, after, host(ip_address) as ip_address, user_agent, count`;

/** A stored entry. Its address's location is not stored; it is added when the entry is read. */
type EntryRow = Omit<AuditEntry, 'place'>;

const placed =
  (placeOf: PlaceOf) =>
  (row: EntryRow): AuditEntry => ({ ...row, place: placeOf(row.ip_address) });

export const entriesOf = (
  app: Needs<'clock' | 'placeOf'> & { db: Queryable },
  account_id: string,
  query: Parsed<typeof listAuditEntries, 'query'>,
  { isMasked = false }: { isMasked?: boolean } = {},
): Promise<{ results: AuditEntry[]; count: number }> =>
  listEntries(app, filterOf(app, account_id, query), { ...query, isMasked });

/** Throws `not_found` if the entry does not exist or belongs to another account. */
export async function entryOf(
  { db, placeOf }: Needs<'placeOf'> & { db: Queryable },
  account_id: string,
  id: string,
): Promise<AuditEntry> {
  const found = isUuid(id)
    ? await db.maybe<EntryRow>(`select ${SHOWN} from audit_entries where account_id = $1 and id = $2`, [
        account_id,
        id,
      ])
    : undefined;
  if (!found) throw new Failure('not_found');
  return placed(placeOf)(found);
}

async function listEntries(
  { db: sql, placeOf }: Needs<'placeOf'> & { db: Queryable },
  filter: Filter,
  { isMasked, ...query }: Parsed<typeof listAuditEntries, 'query'> & { isMasked: boolean },
): Promise<{ results: AuditEntry[]; count: number }> {
  const { limit, offset } = pageOf(query);
  const where = matching(isMasked);
  const { count } = await sql.one<{ count: number }>(
    `select count(*) from audit_entries where ${where}`,
    filter,
  );
  const rows = await sql.rows<EntryRow>(
    `select ${SHOWN} from audit_entries where ${where}
     order by ${orderBy(query.ordering, { created_at: 'id' }, 'id')} limit $9 offset $10`,
    [...filter, limit, offset],
  );
  return { results: rows.map(placed(placeOf)), count };
}

export async function selectEntryPart(
  sql: Queryable,
  placeOf: PlaceOf,
  filter: Filter,
  part: PartOf,
): Promise<{ rows: AuditEntry[]; next: string | null }> {
  const [owner_id, from_id] = filter;
  const next = await beginOfPart(sql, {
    from: 'audit_entries',
    owner: 'account_id',
    owner_id,
    from_id,
    ...part,
  });
  const rows = await sql.rows<EntryRow>(
    `select ${SHOWN} from audit_entries where ${matching(false)} and id < $9::uuid and id >= $10::uuid order by id desc`,
    [...filter, part.below, next ?? from_id],
  );
  return { rows: rows.map(placed(placeOf)), next };
}
