import { KNOWN_DAYS } from '@sixdigit/contract/protection/known.ts';
import {
  LEARNING,
  LIST_MAX,
  type ListEntry,
  type ListName,
  LOOKUP_DEFAULTS,
  type Protection,
  type ProtectionBody,
} from '@sixdigit/contract/protection/protection.ts';
import type { z } from 'zod';
import { byOwner, record } from '../audit/audit.ts';
import { countryProblem } from '../platform/addresses/phone.ts';
import type { Tx } from '../platform/db/sql.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import type { UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { minuteOf } from './counters.ts';
import type { Guard } from './guard.ts';
import { normaliseEntry } from './lists.ts';
import {
  boundsProblems,
  boundsWith,
  mergedChanges,
  policyOf,
  type RuleChanges,
  rulesWith,
} from './policy.ts';
import { DEPLOYMENT, findSettings, lockSettings, type SettingsRow, saveSettings } from './queries.ts';
import { recordedChange } from './restore.ts';

export type SettingsApp = Needs<'db' | 'clock' | 'config' | 'random'> & { guard: Guard };
type Body = z.output<typeof ProtectionBody>;
type GivenEntry = NonNullable<Body['allow']>[number];

/** The settings as the dashboard shows them. */
export async function protectionOf(app: SettingsApp, account_id: string): Promise<Protection> {
  const [row, operators] = await Promise.all([
    findSettings(app.db, account_id),
    findSettings(app.db, DEPLOYMENT),
  ]);
  const { config, guard, clock } = app;
  const minute = minuteOf(clock.now().getTime());
  const { over: finished, verified } = guard.counters.finished(account_id, minute);
  return {
    rules: rulesWith(row?.rules ?? {}, config),
    bounds: boundsWith(operators?.bounds ?? {}) as Protection['bounds'],
    allow: row?.allow ?? [],
    deny: row?.deny ?? [],
    known_days: row?.known_days ?? KNOWN_DAYS.byDefault,
    require_proof: row?.require_proof ?? 'never',
    lookups: { ...LOOKUP_DEFAULTS, ...row?.lookups },
    has_lookup: guard.hasLookup(),
    allowed_countries: config.allowedCountries,
    learning: {
      is_learning: guard.counters.isLearning(account_id, minute),
      finished,
      verified,
      finished_needed: LEARNING.finished,
      verified_percent_needed: LEARNING.verified_percent,
    },
    updated_at: row?.updated_at ?? null,
  };
}

/** Changes rules and lists. Throws field errors for thresholds outside their bounds and for invalid entries. */
export async function changeProtection(
  app: SettingsApp,
  caller: UserCaller,
  body: Body,
): Promise<Protection> {
  const operators = await findSettings(app.db, DEPLOYMENT);
  const changes = changedRow(app, body, boundsWith(operators?.bounds ?? {}));
  await changeOwn(app, caller, changes);
  return protectionOf(app, caller.account_id);
}

/** Changes the settings of the caller, with an entry in the audit log. */
export async function changeOwn(app: SettingsApp, caller: UserCaller, change: Change): Promise<void> {
  const row = await app.db.transaction(async (tx) => {
    const { before, after } = await lockedChange(tx, caller.account_id, change);
    const recorded = recordedChange(before, after);
    if (recorded) await record(tx, app, { ...byOwner(caller), action: 'protection.change', ...recorded });
    return after;
  });
  use(app, row);
}

type Change = (row: SettingsRow) => Omit<SettingsRow, 'updated_at'>;

/** Checks a request. The result applies it to a row. Throws field errors. */
export function changedRow(
  app: Needs<'clock' | 'config'>,
  body: Omit<Body, 'known_days'> & Partial<Pick<Body, 'known_days'>>,
  bounds: Parameters<typeof boundsProblems>[1],
): Change {
  const now = app.clock.now();
  const allow = body.allow && entriesOf('allow', body.allow, now);
  const deny = body.deny && entriesOf('deny', body.deny, now);
  const changes = changesOf(body.rules);
  const given = JSON.parse(JSON.stringify(body.lookups ?? {})) as SettingsRow['lookups'];
  const problems = [
    ...boundsProblems(changes, bounds),
    ...countryProblems(app.config.allowedCountries, changes.country?.countries ?? []),
  ];
  if (problems.length > 0) throw new FieldErrors({ rules: problems });
  return (row) => ({
    ...row,
    rules: mergedChanges(row.rules, changes),
    allow: allow ? withTimes(allow, row.allow) : row.allow,
    deny: deny ? withTimes(deny, row.deny) : row.deny,
    known_days: body.known_days ?? row.known_days,
    require_proof: body.require_proof ?? row.require_proof,
    lookups: { ...row.lookups, ...given },
  });
}

/** Changes a row under its lock. */
export async function lockedChange(
  tx: Tx,
  account_id: string,
  change: Change,
): Promise<{ before: SettingsRow; after: SettingsRow }> {
  const before = await lockSettings(tx, account_id);
  return { before, after: await saveSettings(tx, change(before)) };
}

/** Adds an entry to a list, or replaces the one of the same value. Throws a field error if the list is full. */
export const withEntry =
  (list: ListName, entry: ListEntry): Change =>
  (row) => {
    const others = without(row[list], entry);
    if (others.length >= LIST_MAX)
      throw new FieldErrors({ value: [`A list has at most ${LIST_MAX} entries.`] });
    return { ...row, [list]: [...others, entry] };
  };

export const withoutEntry =
  (list: ListName, entry: Pick<ListEntry, 'kind' | 'value'>): Change =>
  (row) => ({ ...row, [list]: without(row[list], entry) });

const without = (
  entries: readonly ListEntry[],
  { kind, value }: Pick<ListEntry, 'kind' | 'value'>,
): ListEntry[] => entries.filter((entry) => entry.kind !== kind || entry.value !== value);

/** The settings take effect in this process at once, and in the others within two seconds. */
export function use({ config, guard }: Pick<SettingsApp, 'config' | 'guard'>, row: SettingsRow): void {
  const scope = row.account_id === DEPLOYMENT ? 'deployment' : 'account';
  guard.setPolicy(row.account_id, policyOf(row, { sandbox: config.sandbox, scope }));
}

/** zod parses omitted fields as `undefined`; only the given ones change. */
const changesOf = (rules: Body['rules']): RuleChanges =>
  JSON.parse(JSON.stringify(rules ?? {})) as RuleChanges;

const countryProblems = (allowed: readonly string[], countries: readonly string[]): string[] =>
  countries.flatMap((country) => {
    const problem = countryProblem(country);
    if (problem) return [`country: ${problem}`];
    const isAllowed = allowed.includes('*') || allowed.includes(country);
    return isAllowed ? [] : [`country: ${country} is not allowed on this service.`];
  });

export function entryOf(given: GivenEntry, now: Date): { entry: ListEntry } | { problem: string } {
  const normalised = normaliseEntry(given.kind, given.value);
  if ('problem' in normalised) return normalised;
  const { value } = normalised;
  const { kind, note = null, expires_at = null } = given;
  return {
    entry: {
      kind,
      value,
      note: note === '' ? null : note,
      created_at: now.toISOString(),
      expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
    },
  };
}

function entriesOf(field: 'allow' | 'deny', given: readonly GivenEntry[], now: Date): ListEntry[] {
  const found = new Map<string, ListEntry>();
  const problems: string[] = [];
  for (const one of given) {
    const result = entryOf(one, now);
    if ('problem' in result) problems.push(`${one.value}: ${result.problem}`);
    else found.set(`${result.entry.kind} ${result.entry.value}`, result.entry);
  }
  if (problems.length > 0) throw new FieldErrors({ [field]: problems.slice(0, 10) });
  return [...found.values()];
}

/** Existing entries keep the time at which they were added. */
function withTimes(entries: readonly ListEntry[], before: readonly ListEntry[]): ListEntry[] {
  const times = new Map(before.map(({ kind, value, created_at }) => [`${kind} ${value}`, created_at]));
  return entries.map((entry) => ({
    ...entry,
    created_at: times.get(`${entry.kind} ${entry.value}`) ?? entry.created_at,
  }));
}
