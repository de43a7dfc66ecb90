import type { User } from '@sixdigit/contract/accounts/accounts.ts';
import type { FailedSignIns } from '../audit/audit.ts';
import type { Carriers } from '../messaging/carriers/carriers.ts';
import { hasOptedOut } from '../messaging/opt-outs/opt-outs.ts';
import type { Config } from '../platform/config.ts';
import type { Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Platform } from '../platform/platform.ts';
import type { Passwords } from './passwords.ts';
import { type Account, findAccount } from './queries.ts';
import type { SignInLookup } from './sign-in-lookup.ts';

/** The platform and ports that this module needs. */
export type App = Platform & {
  carriers: Pick<Carriers, 'has'>;
  passwords: Passwords;
  signInLookup: SignInLookup;
  metrics: Pick<Metrics, 'ownSms'>;
  failedSignIns: FailedSignIns;
  /** Whether the account can enable auto-purchase. Throws `payment_provider_unavailable`. */
  hasSavedCard(account_id: string): Promise<boolean>;
  /** Announcements of operators to the user, and the user's own role among them. */
  fromOperators(account_id: string): Promise<Pick<User, 'announcements' | 'operator_role'>>;
};

/** The caller's account. If a concurrent request deleted it, throws as for an ended session. */
export async function accountOf(sql: Sql, id: string): Promise<Account> {
  const account = await findAccount(sql, id);
  if (!account) throw new Failure('unauthenticated');
  return account;
}

export interface CodeRoute {
  channel: 'email' | 'sms';
  recipient: string;
}

/** The route of a code for the account: its chosen method, or the other one if that is unavailable. */
export async function codeRoute(app: App, account: Account): Promise<CodeRoute | undefined> {
  const phone = account.two_factor_phone || (account.phone_verified_at ? account.phone_number : '');
  const canText = phone !== '' && app.carriers.has('sms') && !(await hasOptedOut(app.db, app, phone));
  const sms: CodeRoute = { channel: 'sms', recipient: phone };
  if (canText && account.two_factor_enabled && account.two_factor_method === 'sms') return sms;
  if (app.carriers.has('email')) return { channel: 'email', recipient: account.email };
  return canText ? sms : undefined;
}

/** The URL of a page of the dashboard, for links in mails. */
export const pageUrl = (
  { config }: { config: Pick<Config, 'publicUrl' | 'port'> },
  path: `/${string}`,
): string => `${config.publicUrl ?? `http://localhost:${config.port}`}${path}`;
