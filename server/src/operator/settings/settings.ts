import type {
  listSettingChanges,
  OperatorSetting,
  updateSetting,
} from '@sixdigit/contract/operator/settings.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import type { Config } from '../../platform/config.ts';
import type { Queryable } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import {
  environmentText,
  isLiveSetting,
  LIVE_SETTING_NAMES,
  type LiveSettingName,
  parseSetting,
} from '../../settings/settings.ts';
import { recordAction } from '../audit.ts';
import { follow, historyOf, type LiveApp, lockVersion, newestOf, storeValue } from './live-changes.ts';

/** Settings that operators change while the service runs. They override the environment until an operator returns to it. */
type App = LiveApp & { config: Config };

export const settingsOf = (app: App): Promise<OperatorSetting[]> =>
  Promise.all(LIVE_SETTING_NAMES.map((name) => settingOf(app, app.db, name)));

async function settingOf({ config }: App, sql: Queryable, name: LiveSettingName): Promise<OperatorSetting> {
  const { value, ...newest } = await newestOf(sql, name);
  return { name, environment: environmentText(config, name), override: textOf(value), ...newest };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Throws `not_found` for a setting that only the environment sets, and `changed_meanwhile`. */
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
