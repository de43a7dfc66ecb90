import type { KeyMode, KeyRules } from '@sixdigit/contract/api-keys.ts';
import { byOwner, record } from '../audit/audit.ts';
import type { Queryable } from '../platform/db/sql.ts';
import { requireRole, type UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { findKeyRules, setKeyRules } from './queries.ts';

/** Throws `role_too_low` for a live key if the account restricts live keys to admins and the caller is not one. */
export async function requireKeyRole(
  sql: Queryable,
  caller: Pick<UserCaller, 'account_id' | 'role'>,
  mode: KeyMode,
): Promise<void> {
  if (mode === 'test') return;
  const { live_keys_need_admin } = await findKeyRules(sql, caller.account_id);
  if (live_keys_need_admin) requireRole(caller, 'admin');
}

export const changeKeyRules = (
  app: Needs<'db' | 'random'>,
  caller: UserCaller,
  rules: KeyRules,
): Promise<KeyRules> =>
  app.db.transaction(async (tx) => {
    const before = await setKeyRules(tx, caller.account_id, rules);
    if (before.live_keys_need_admin !== rules.live_keys_need_admin)
      await record(tx, app, {
        ...byOwner(caller),
        action: 'api_key.rules',
        subject: 'Live API keys',
        before: { ...before },
        after: { ...rules },
      });
    return rules;
  });
