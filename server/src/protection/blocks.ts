import {
  type Block,
  type Blocker,
  isLookupRule,
  type ListKind,
  type Scope,
} from '@sixdigit/contract/protection/protection.ts';
import type { Needs } from '../platform/platform.ts';
import { normaliseEntry } from './lists.ts';
import { type BlockRow, countBlocks, findSettings, selectBlocks } from './queries.ts';

const BLOCKS_MOST = 100;

/** The blocks of the last 24 hours, each with the entry of the allow list that would end it. */
export async function blocksOf(
  { db, clock }: Needs<'db' | 'clock'>,
  account_id: string,
): Promise<{ results: Block[]; blocked: number; monitored: number }> {
  const [rows, counts, settings] = await Promise.all([
    selectBlocks(db, account_id, BLOCKS_MOST),
    countBlocks(db, account_id),
    findSettings(db, account_id),
  ]);
  const nowMs = clock.now().getTime();
  const allowed = new Set(
    (settings?.allow ?? [])
      .filter(({ expires_at }) => expires_at === null || Date.parse(expires_at) > nowMs)
      .map(({ kind, value }) => `${kind} ${value}`),
  );
  return { ...counts, results: rows.map((row) => blockOf(row, allowed)) };
}

function blockOf(row: BlockRow, allowed: ReadonlySet<string>): Block {
  const allow = allowanceFor(row);
  return {
    rule: row.rule as Blocker,
    scope: row.scope as Scope,
    prefix: row.prefix,
    country: row.country === '' ? null : row.country,
    client: row.client === '' ? null : row.client,
    blocked: row.blocked,
    monitored: row.monitored,
    first_at: row.first_at,
    last_at: row.last_at,
    blocked_until: row.blocked_until,
    allow,
    is_allowed: allow !== null && allowed.has(`${allow.kind} ${allow.value}`),
  };
}

/** The deny list and the operator's rules win over an account's allow list. */
function allowanceFor({
  rule,
  scope,
  prefix,
  country,
  client,
}: Pick<BlockRow, 'rule' | 'scope' | 'prefix' | 'country' | 'client'>): {
  kind: ListKind;
  value: string;
} | null {
  // What is wrong with one number says nothing about its prefix.
  if (scope === 'deployment' || rule === 'deny_list' || isLookupRule(rule)) return null;
  if (rule === 'country') return { kind: 'country', value: country };
  if (client === '') return { kind: 'prefix', value: prefix };
  const normalised = normaliseEntry('address', client);
  return 'value' in normalised ? { kind: 'address', value: normalised.value } : null;
}
