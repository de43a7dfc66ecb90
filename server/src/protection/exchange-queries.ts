import type { Sql, Tx } from '../platform/db/sql.ts';
import type { Delta, Kind } from './counters.ts';
import type { Objection } from './decision.ts';
import type { NewBlock } from './guard.ts';

/** A delta as stored: a list, because a second of traffic has thousands. */
type StoredDelta = [
  account_id: string,
  prefix: string,
  country: string,
  client: string | null,
  minute: number,
  /** 2: sends of own codes, which are not counted; 4 or 8 more: to known recipients, imported or verified */
  is_counted: number,
  sent: number,
  over: number,
  verified: number,
  recipients: string[],
];

export const storedOf = (delta: Delta): StoredDelta => [
  delta.account_id,
  delta.prefix,
  delta.country,
  delta.client,
  delta.minute,
  (delta.has_own_code ? 2 : delta.is_counted ? 1 : 0) +
    (delta.known === null ? 0 : delta.known === 'imported' ? 4 : 8),
  delta.sent,
  delta.over,
  delta.verified,
  delta.recipients,
];

export const deltaOf = ([
  account_id,
  prefix,
  country,
  client,
  minute,
  is_counted,
  sent,
  over,
  verified,
  recipients,
]: StoredDelta): Delta => ({
  account_id,
  prefix,
  country,
  client,
  minute,
  is_counted: (is_counted & 3) === 1,
  has_own_code: (is_counted & 3) === 2,
  known: is_counted >= 8 ? 'verified' : is_counted >= 4 ? 'imported' : null,
  sent,
  over,
  verified,
  recipients,
});

/** Writing the same seq again changes nothing, so a write whose response was lost can be repeated. */
export const insertDeltas = (
  tx: Tx,
  { process_id, seq, deltas }: { process_id: string; seq: number; deltas: readonly Delta[] },
): Promise<number> =>
  tx.run(
    `insert into protection_deltas (process_id, seq, at, deltas) values ($1, $2, clock_now(), $3)
     on conflict do nothing`,
    [process_id, seq, JSON.stringify(deltas.map(storedOf))],
  );

export interface DeltasRow {
  process_id: string;
  seq: number;
  deltas: StoredDelta[];
  is_summed: boolean;
}

/** Counts that other processes wrote since a time, in the order of each process. `seen`: the last seq read of each. */
export const selectDeltas = (
  sql: Sql,
  { process_id, since, seen }: { process_id: string; since: string; seen: Readonly<Record<string, number>> },
): Promise<DeltasRow[]> =>
  sql.rows<DeltasRow>(
    `select process_id, seq, deltas, is_summed from protection_deltas
     where at >= $2 and process_id <> $1 and seq > coalesce(($3::jsonb ->> process_id::text)::bigint, 0)
     order by process_id, seq`,
    [process_id, since, JSON.stringify(seen)],
  );

export interface CountsRow {
  account_id: string;
  kind: Kind | 'client_country';
  key: string;
  unit: 'hour' | 'day';
  bucket: number;
  sent: number;
  tried: number;
  over: number;
  verified: number;
}

/** Receives the parts of the history, the sums before the deltas. */
export interface History {
  counts(rows: CountsRow[]): void;
  deltas(rows: DeltasRow[]): void;
}

/**
 * A row holds all counts of one second: hundreds of kilobytes on a busy service. Reading eight rows at a time grew the process
 * by 30 MB more than reading two, because it never returns the memory of its largest read.
 */
const DELTAS_AT_ONCE = 2;
const COUNTS_AT_ONCE = 2_000;

/**
 * Reads the sums and the deltas of the last hour in parts, because a busy hour is hundreds of megabytes. One transaction sees
 * one state. The newest sums come last; if there are too many, only the newest are read.
 */
export async function readHistory(tx: Tx, most: number, history: History): Promise<void> {
  await tx.run('set transaction isolation level repeatable read');
  await inParts<CountsRow>(
    tx,
    `select * from (
       select account_id, kind, key, unit, bucket, sent, tried, over, verified from protection_counts
       where unit = 'day' and bucket >= floor(extract(epoch from clock_now()) / 86400)::integer - 15
         or unit = 'hour' and bucket >= floor(extract(epoch from clock_now()) / 3600)::integer - 24
       order by unit, bucket desc limit ${most}) newest
     order by unit desc, bucket`,
    { atOnce: COUNTS_AT_ONCE, use: history.counts },
  );
  await inParts<DeltasRow>(
    tx,
    `select process_id, seq, deltas, is_summed from protection_deltas
     where not is_summed or at >= clock_now() - interval '70 minutes' order by at`,
    { atOnce: DELTAS_AT_ONCE, use: history.deltas },
  );
}

async function inParts<Row>(
  tx: Tx,
  query: string,
  { atOnce, use }: { atOnce: number; use(rows: Row[]): void },
): Promise<void> {
  await tx.run(`declare part no scroll cursor for ${query}`);
  for (;;) {
    const rows = await tx.rows<Row>(`fetch ${atOnce} from part`);
    use(rows);
    if (rows.length < atOnce) break;
  }
  await tx.run('close part');
}

export interface BlockedPrefixRow {
  account_id: string;
  prefix: string;
  country: string;
  until_ms: number;
}

/** Blocks that began or ended since a time; without a time, all current ones. */
export const selectBlockedPrefixes = (sql: Sql, since: string | null): Promise<BlockedPrefixRow[]> =>
  sql.rows<BlockedPrefixRow>(
    `select account_id, prefix, country, floor(extract(epoch from blocked_until) * 1000)::bigint as until_ms
     from blocked_prefixes where case when $1::timestamptz is null then blocked_until > clock_now() else changed_at >= $1 end`,
    [since],
  );

/** Leaves a current block unchanged. */
export const insertBlockedPrefixes = (tx: Tx, blocks: readonly NewBlock[]): Promise<number> =>
  tx.run(
    `insert into blocked_prefixes as p (account_id, prefix, country, rule, blocked_until, changed_at)
     select distinct on (account_id, prefix) account_id, prefix, country, rule, to_timestamp(until_ms / 1000.0), clock_now()
     from json_to_recordset($1) as b (account_id uuid, prefix text, country text, rule text, until_ms bigint)
     order by account_id, prefix
     on conflict (account_id, prefix) do update set country = excluded.country, rule = excluded.rule,
       blocked_until = excluded.blocked_until, changed_at = excluded.changed_at
     where p.blocked_until <= clock_now()`,
    [JSON.stringify(blocks)],
  );

/** Ends the blocks of an account that an entry of its allow list covers. */
export const endBlocks = (
  tx: Tx,
  account_id: string,
  { kind, value }: { kind: string; value: string },
): Promise<number> =>
  tx.run(
    `update blocked_prefixes set blocked_until = clock_now(), changed_at = clock_now()
     where account_id = $1 and blocked_until > clock_now() and case $2
       when 'prefix' then starts_with(prefix, $3) when 'country' then country = $3
       when 'number' then starts_with($3, prefix) and length($3) = length(prefix) + 4 else false end`,
    [account_id, kind, value],
  );

export const addObjections = (tx: Tx, objections: readonly Objection[]): Promise<number> =>
  tx.run(
    `insert into protection_blocks as b (account_id, hour, rule, scope, prefix, country, client, blocked, monitored,
       first_at, last_at)
     select account_id, hour, rule, scope, prefix, country, client, blocked, monitored,
       to_timestamp(first_ms / 1000.0), to_timestamp(last_ms / 1000.0)
     from json_to_recordset($1) as o (account_id uuid, hour integer, rule text, scope text, prefix text, country text,
       client text, blocked integer, monitored integer, first_ms bigint, last_ms bigint)
     order by account_id, hour, rule, scope, prefix, country, client
     on conflict (account_id, hour, rule, scope, prefix, country, client) do update set
       blocked = b.blocked + excluded.blocked, monitored = b.monitored + excluded.monitored,
       first_at = least(b.first_at, excluded.first_at), last_at = greatest(b.last_at, excluded.last_at)`,
    [JSON.stringify(objections)],
  );
