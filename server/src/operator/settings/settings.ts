import type { OperatorAccountLimits, updateAccountLimits } from '@sixdigit/contract/operator/limits.ts';
import * as limits from '@sixdigit/contract/operator/limits.ts';
import { confirmRetention } from '@sixdigit/contract/operator/retention.ts';
import type {
  listSettingChanges,
  OperatorSetting,
  updateSetting,
} from '@sixdigit/contract/operator/settings.ts';
import * as settings from '@sixdigit/contract/operator/settings.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import { emailsOfPeople, findAccount } from '../../accounts/accounts.ts';
import { countryProblem } from '../../platform/addresses/phone.ts';
import type { Config } from '../../platform/config.ts';
import { confirmDays } from '../../platform/db/kept-days.ts';
import { pageOf } from '../../platform/db/page.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import type { Needs, Platform } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { limitsName, limitsOf } from '../../settings/account-limits/account-limits.ts';
import {
  changesOf,
  countChanges,
  type LiveSettings,
  lockSetting,
  newestChange,
  storeSetting,
} from '../../settings/live-settings/live-settings.ts';
import {
  environmentText,
  isLiveSetting,
  LIVE_SETTING_NAMES,
  type LiveSettingName,
  parseSetting,
} from '../../settings/settings.ts';
import { recordAction } from '../audit.ts';

export function liveRoutes(server: Server, app: Platform & LiveApp): void {
  serve(server, settings.listSettings, async () => ({ settings: await settingsOf(app) }));
  serve(server, settings.updateSetting, ({ caller, params, body }) =>
    changeSetting(app, caller, params.name, body),
  );
  serve(server, confirmRetention, async ({ caller, body }) => {
    await confirmRetentionOf(app, caller, body);
    return undefined;
  });
  serve(server, settings.listSettingChanges, ({ params, query }) =>
    settingChanges(app.db, params.name, query),
  );
  serve(server, limits.getAccountLimits, ({ params }) => limitsOfAccount(app.db, params.id));
  serve(server, limits.updateAccountLimits, ({ caller, params, body }) =>
    changeLimits(app, caller, params.id, body),
  );
}

/** Limits of single accounts. Throws `not_found`. */
async function limitsOfAccount(sql: Queryable, id: string): Promise<OperatorAccountLimits> {
  await requireLivingAccount(sql, id);
  const { value, ...newest } = await newestOf(sql, limitsName(id));
  return { limits: limitsOf(value), ...newest };
}

/** Throws `changed_meanwhile` unless `version` is the newest. */
async function changeLimits(
  app: LiveApp,
  by: OperatorCaller,
  id: string,
  { reason, version, ...limits }: Parsed<typeof updateAccountLimits, 'body'>,
): Promise<OperatorAccountLimits> {
  const problems = (limits.countries ?? []).flatMap((country) => countryProblem(country) ?? []);
  if (problems.length > 0) throw new FieldErrors({ countries: problems.slice(0, 1) });
  const { recipient_sends_per_10_min: tenMinutes, recipient_sends_per_day: day } = limits;
  if (tenMinutes !== null && day !== null && tenMinutes > day)
    throw new FieldErrors({ recipient_sends_per_10_min: ['Must be at most the sends in a day'] });
  await app.db.transaction(async (tx) => {
    await requireLivingAccount(tx, id);
    const name = limitsName(id);
    const before = limitsOf(await lockVersion(tx, name, version));
    await storeValue(tx, app, by, { name, value: limits });
    await recordAction(tx, app, by, {
      action: 'account.limits',
      account_id: id,
      subject: 'Limits',
      reason,
      before,
      after: limits,
    });
  });
  await follow(app);
  return limitsOfAccount(app.db, id);
}

async function requireLivingAccount(sql: Queryable, id: string): Promise<void> {
  const found = isUuid(id) ? await findAccount(sql, id) : undefined;
  if (!found || found.state === 'deleted') throw new Failure('not_found');
}

/**
 * Settings that operators change while the service runs. An operator's value overrides the environment until an operator
 * removes it.
 */
type App = LiveApp & { config: Config };

export const settingsOf = (app: App): Promise<OperatorSetting[]> =>
  Promise.all(LIVE_SETTING_NAMES.map((name) => settingOf(app, app.db, name)));

async function settingOf({ config }: App, sql: Queryable, name: LiveSettingName): Promise<OperatorSetting> {
  const { value, ...newest } = await newestOf(sql, name);
  return { name, environment: environmentText(config, name), override: textOf(value), ...newest };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Throws `not_found` for a setting that only the environment can set, and `changed_meanwhile`. */
export async function changeSetting(
  app: App,
  by: OperatorCaller,
  name: string,
  { value, version, reason }: Parsed<typeof updateSetting, 'body'>,
): Promise<OperatorSetting> {
  if (!isLiveSetting(name)) throw new Failure('not_found');
  const { problem } = value === null ? {} : parseSetting(name, value);
  if (problem) throw new FieldErrors({ value: [`${name} ${problem}.`] });
  await app.db.transaction(async (tx) => {
    const before = await lockVersion(tx, name, version);
    await storeValue(tx, app, by, { name, value });
    const environment = environmentText(app.config, name);
    await recordAction(tx, app, by, {
      action: 'setting.update',
      subject: name,
      reason,
      before: { value: textOf(before), environment },
      after: { value, environment },
    });
  });
  await follow(app);
  return settingOf(app, app.db, name);
}

/** Throws `not_found`. */
export async function settingChanges(
  sql: Queryable,
  name: string,
  query: Parsed<typeof listSettingChanges, 'query'>,
): Promise<Reply<typeof listSettingChanges>> {
  if (!isLiveSetting(name)) throw new Failure('not_found');
  const { count, changes } = await historyOf(sql, name, query);
  return { count, results: changes.map((change) => ({ ...change, value: textOf(change.value) })) };
}

/**
 * The parts that prices, settings and limits have in common: the newest value with its author, a history, and changes that
 * state the version they were based on.
 */
export type LiveApp = Needs<'db' | 'random' | 'wakeups'> & { live: LiveSettings };

export interface Newest {
  version: number;
  changed_at: string | null;
  changed_by: string | null;
  value: unknown;
}

export async function newestOf(sql: Queryable, name: string): Promise<Newest> {
  const change = await newestChange(sql, name);
  const emails = await emailsOfPeople(sql, [change?.operator_id]);
  return {
    version: change?.position ?? 0,
    changed_at: change?.created_at ?? null,
    changed_by: emails.get(change?.operator_id ?? '') ?? null,
    value: change?.value ?? undefined,
  };
}

/**
 * Locks the setting until the transaction ends, and returns its value. Throws `changed_meanwhile` unless `version` is the
 * newest.
 */
export async function lockVersion(tx: Tx, name: string, version: number | undefined): Promise<unknown> {
  const value = await lockSetting(tx, name);
  const newest = await newestChange(tx, name);
  if (version !== undefined && (newest?.position ?? 0) !== version) throw new Failure('changed_meanwhile');
  return value;
}

export const storeValue = (
  tx: Tx,
  app: Needs<'random'>,
  by: OperatorCaller,
  change: { name: string; value: unknown },
): Promise<number> => storeSetting(tx, { id: app.random.uuid(), operator_id: by.person_id, ...change });

/** Makes a committed change effective in this process immediately. The other processes follow within a second. */
export async function follow(app: LiveApp): Promise<void> {
  await app.live.refresh();
  app.wakeups.notify('settings');
}

/** A page of the history, newest first, with the authors. */
export async function historyOf(sql: Queryable, name: string, query: { page: number; page_size: number }) {
  const changes = await changesOf(sql, name, pageOf(query));
  const emails = await emailsOfPeople(
    sql,
    changes.map(({ operator_id }) => operator_id),
  );
  return {
    count: await countChanges(sql, name),
    changes: changes.map(({ position, created_at, operator_id, value }) => ({
      version: position,
      created_at,
      changed_by: emails.get(operator_id ?? '') ?? null,
      value,
    })),
  };
}

/** Throws `changed_meanwhile` unless the setting still waits for a confirmation with these values. */
async function confirmRetentionOf(
  app: Needs<'db' | 'config' | 'random'>,
  by: OperatorCaller,
  { reason, ...shown }: Parsed<typeof confirmRetention, 'body'>,
): Promise<void> {
  await app.db.transaction(async (tx) => {
    if ((await confirmDays(tx, app.config, shown)).length === 0) throw new Failure('changed_meanwhile');
    await recordAction(tx, app, by, {
      action: 'retention.confirm',
      subject: shown.name,
      reason,
      before: { days: shown.kept_days },
      after: { days: shown.days },
    });
  });
}
