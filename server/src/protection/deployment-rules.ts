import {
  type DeploymentRules,
  type DeploymentRulesBody,
  LOOKUP_DEFAULTS,
} from '@sixdigit/contract/protection/protection.ts';
import type { Queryable, Tx } from '../platform/db/sql.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { type Bounds, boundsWith, DEPLOYMENT_BOUNDS, mergedBounds, rulesWith } from './policy.ts';
import { countAllBlocks, DEPLOYMENT, findSettings, type SettingsRow, selectAllBlocks } from './queries.ts';
import { changedRow, lockedChange } from './settings.ts';

type App = Needs<'config' | 'clock'>;
type Set = Pick<DeploymentRules, 'rules' | 'bounds' | 'allow' | 'deny' | 'lookups'>;

const BLOCKS_MOST = 100;

/** The operator's rules over all accounts, and their findings of the last 24 hours. */
export async function readDeploymentRules(sql: Queryable, app: App): Promise<DeploymentRules> {
  const row = await findSettings(sql, DEPLOYMENT);
  const blocks = await selectAllBlocks(sql, BLOCKS_MOST);
  return {
    ...setOf(row, app),
    updated_at: row?.updated_at ?? null,
    ...(await countAllBlocks(sql)),
    blocks: blocks.map((block) => ({ ...block, country: block.country === '' ? null : block.country })),
  };
}

/**
 * Changes them; omitted ones are unchanged. Every process applies them within two seconds. Throws field errors for thresholds
 * outside the product's bounds and for invalid entries. New bounds apply to later changes by accounts.
 */
export async function writeDeploymentRules(
  tx: Tx,
  app: App,
  { bounds: givenBounds, ...body }: DeploymentRulesBody,
): Promise<{ before: Set; after: Set }> {
  const changes = changedRow(app, body, DEPLOYMENT_BOUNDS);
  const given = JSON.parse(JSON.stringify(givenBounds ?? {})) as Bounds;
  const problems = problemsOf(given);
  if (problems.length > 0) throw new FieldErrors({ bounds: problems });
  const { before, after } = await lockedChange(tx, DEPLOYMENT, (row) => ({
    ...changes(row),
    bounds: mergedBounds(row.bounds, given),
  }));
  return { before: setOf(before, app), after: setOf(after, app) };
}

const setOf = (row: SettingsRow | undefined, { config }: App): Set => ({
  rules: rulesWith(row?.rules ?? {}, { sandbox: config.sandbox, scope: 'deployment' }),
  bounds: boundsWith(row?.bounds ?? {}) as DeploymentRules['bounds'],
  allow: row?.allow ?? [],
  deny: row?.deny ?? [],
  lookups: { ...LOOKUP_DEFAULTS, ...row?.lookups },
});

/** Bounds of accounts lie inside those of the operator. */
const problemsOf = (given: Bounds): string[] =>
  Object.entries(given).flatMap(([rule, ranges]) =>
    Object.entries(ranges).flatMap(([name, { min, max }]) => {
      const most = DEPLOYMENT_BOUNDS[rule as keyof Bounds]?.[name as keyof typeof ranges];
      if (!most || (min >= most.min && max <= most.max)) return [];
      return [`${rule}: ${name} must be between ${most.min} and ${most.max}.`];
    }),
  );
