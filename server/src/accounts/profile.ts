import type { Profile, User } from '@sixdigit/contract/accounts/accounts.ts';
import { byOwner, changesBetween, record } from '../audit/audit.ts';
import { balanceOf } from '../credits/credits.ts';
import { notifyAccount } from '../messaging/notices/notices.ts';
import { Failure } from '../platform/http/failure.ts';
import type { UserCaller } from '../platform/http/serve.ts';
import { type App, accountOf } from './account.ts';
import type { Client } from './client.ts';
import { proveByCurrentPassword } from './current-password.ts';
import { enteredPhone } from './phone-numbers.ts';
import { selectMe, updateProfile } from './queries.ts';

export async function me(app: Pick<App, 'db' | 'fromOperators'>, account_id: string): Promise<User> {
  const [found, balance, operators] = await Promise.all([
    selectMe(app.db, account_id),
    balanceOf(app.db, account_id),
    app.fromOperators(account_id),
  ]);
  if (!found) throw new Failure('unauthenticated');
  return { ...found, ...balance, ...operators };
}

export const profileOf = async (app: Pick<App, 'db'>, account_id: string): Promise<Profile> =>
  accountOf(app.db, account_id);

interface ProfileChange {
  first_name?: string | undefined;
  last_name?: string | undefined;
  phone_number?: string | undefined;
  time_zone?: string | null | undefined;
  current_password?: string | undefined;
}

/**
 * Omitted fields stay unchanged. A new phone number requires the password and a proof of identity, and is announced by e-mail. SMS codes go to the old
 * number until the new one is proven in the two-factor settings.
 */
export async function changeProfile(
  app: App,
  caller: UserCaller,
  { change, client }: { change: ProfileChange; client: Client },
): Promise<Profile> {
  const { account_id } = caller;
  const account = await accountOf(app.db, account_id);
  const phone_number =
    change.phone_number === undefined ? account.phone_number : enteredPhone(app, change.phone_number);
  const isNewPhone = phone_number !== account.phone_number;
  if (isNewPhone)
    await proveByCurrentPassword(app, caller, account, { current_password: change.current_password, client });
  const updated = await app.db.transaction(async (tx) => {
    const { first_name = account.first_name, last_name = account.last_name } = change;
    const { time_zone = account.time_zone } = change;
    const row = await updateProfile(tx, account_id, { first_name, last_name, phone_number, time_zone });
    if (isNewPhone)
      await notifyAccount(tx, app, account_id, { kind: 'phoneChanged', phoneNumber: phone_number });
    const names = row && changesBetween(account, row, ['first_name', 'last_name']);
    if (names) await record(tx, app, { ...byOwner(caller), action: 'profile.change', ...names });
    const phone = row && changesBetween(account, row, ['phone_number']);
    if (phone) await record(tx, app, { ...byOwner(caller), action: 'phone.change', ...phone });
    return row;
  });
  if (!updated) throw new Failure('unauthenticated');
  if (isNewPhone) app.wakeups.notify('notices');
  return updated;
}
