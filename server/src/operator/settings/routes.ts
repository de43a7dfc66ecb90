import type { OperatorAccountLimits, updateAccountLimits } from '@sixdigit/contract/operator/limits.ts';
import * as limits from '@sixdigit/contract/operator/limits.ts';
import * as settings from '@sixdigit/contract/operator/settings.ts';
import type { Parsed } from '@sixdigit/contract/route.ts';
import { findAccount } from '../../accounts/accounts.ts';
import { countryProblem } from '../../platform/addresses/phone.ts';
import type { Queryable } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { type OperatorCaller, type Server, serve } from '../../platform/http/serve.ts';
import type { Platform } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { limitsName, limitsOf } from '../../settings/account-limits/account-limits.ts';
import { recordAction } from '../audit.ts';
import { follow, type LiveApp, lockVersion, newestOf, storeValue } from './live-changes.ts';
import { changeSetting, settingChanges, settingsOf } from './settings.ts';

export function liveRoutes(server: Server, app: Platform & LiveApp): void {
  serve(server, settings.listSettings, async () => ({ settings: await settingsOf(app) }));
  serve(server, settings.updateSetting, ({ caller, params, body }) =>
    changeSetting(app, caller, params.name, body),
  );
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

/** Throws `changed_meanwhile` for another version than the newest. */
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
