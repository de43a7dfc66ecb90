import { deleteMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  type App as AccountsApp,
  clientOf,
  type Erasing,
  eraseMembersOf,
  findDeletedAccount,
  noteErased,
  personOf,
  provePassword,
} from '../accounts/accounts.ts';
import { revokeKeysOf } from '../api-keys/api-keys.ts';
import { eraseAuditEntries, record } from '../audit/audit.ts';
import { deleteTwilioServicesOf, deleteTwilioVerificationsOf } from '../compat/compat.ts';
import { deleteConnectionsOf } from '../connections/connections.ts';
import { deleteInsightsOf } from '../insights/insights.ts';
import { deleteLimitsOf } from '../limits/limits.ts';
import { deleteLookupsOf } from '../lookups/lookups.ts';
import { forgetNotices, postNotice } from '../messaging/notices/notices.ts';
import { deleteSuppressionsOf } from '../messaging/suppressions/suppressions.ts';
import { deleteIdempotencyKeysOf } from '../otp/idempotency/idempotency.ts';
import { deleteAccountPlans, deleteSendsOf } from '../otp/otp.ts';
import type { Tx } from '../platform/db/sql.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import type { Job } from '../platform/queue/job.ts';
import { deleteMessageDomainsOf } from '../protection/message-links/message-links.ts';
import { deleteDecisionsOf, deleteKnownOf, forgetProtectionOf } from '../protection/protection.ts';
import { deleteRequestLogsOf } from '../request-logs/request-logs.ts';
import { deleteTemplatesOf } from '../templates/templates.ts';
import { deleteWebhookEndpointsOf, deleteWebhookMessagesOf } from '../webhooks/webhooks.ts';

type App = Needs<'db' | 'random' | 'vault' | 'wakeups'> & Pick<AccountsApp, 'passwords' | 'failedSignIns'>;

export const deletionRoutes = (server: Server, app: App): void =>
  serve(server, deleteMe, async ({ caller, body: { password }, request }) => {
    const { account_id, person_id } = caller;
    const person = await personOf(app.db, person_id);
    await provePassword(app, caller, person, { field: 'password', password, client: clientOf(request) });
    await app.db.transaction((tx) => eraseAccount(tx, app, { account_id, caller, actor: 'owner' }));
    app.wakeups.notify('notices');
    return undefined;
  });

/**
 * Erases the personal data of an account and of its members who have no other account, and revokes its keys and their sessions
 * immediately. A job later erases the data of its sends. The ledger stays, without a name. Returns false if the account is already
 * deleted, or if its address is not `email`. Send the wake-up `notices` after the commit.
 */
export async function eraseAccount(
  tx: Tx,
  app: Needs<'random' | 'vault'>,
  { account_id, caller, actor, email }: Erasing & { actor: 'owner' | 'operator' },
): Promise<boolean> {
  const recipients = await eraseMembersOf(tx, app, { account_id, caller, email });
  if (!recipients) return false;
  await deleteMessageDomainsOf(tx, account_id);
  await deleteTemplatesOf(tx, account_id);
  await deleteAccountPlans(tx, account_id);
  await forgetNotices(tx, account_id);
  await forgetProtectionOf(tx, account_id);
  await deleteConnectionsOf(tx, account_id);
  await deleteTwilioServicesOf(tx, account_id);
  await deleteLimitsOf(tx, account_id);
  await deleteLookupsOf(tx, account_id);
  await revokeKeysOf(tx, account_id);
  await deleteWebhookEndpointsOf(tx, account_id);
  // This entry outlives the account, so it contains neither an IP address nor a user agent.
  await record(tx, app, { account_id, person_id: caller?.person_id, actor, action: 'account.delete' });
  for (const recipient of recipients)
    await postNotice(tx, app, { channel: 'email', recipient, contents: { kind: 'accountDeleted' } });
  return true;
}

const BATCH_SIZE = 1_000;

const STEPS = [
  deleteTwilioVerificationsOf,
  deleteSendsOf,
  deleteKnownOf,
  deleteDecisionsOf,
  deleteSuppressionsOf,
  deleteRequestLogsOf,
  deleteIdempotencyKeysOf,
  deleteWebhookMessagesOf,
  deleteInsightsOf,
  eraseAuditEntries,
];

/** Erases one batch of one deleted account. Returns false if no account is left to erase. */
export async function eraseLeftBehind({ db }: Needs<'db'>): Promise<boolean> {
  const account = await findDeletedAccount(db);
  if (!account) return false;
  for (const deleteSome of STEPS)
    if ((await deleteSome(db, { account_id: account.id, most: BATCH_SIZE })) >= BATCH_SIZE) return true;
  await noteErased(db, account.id);
  return true;
}

export const deletionJobs = ({ db }: Needs<'db'>): Job[] => [
  { name: 'erasure', everyMs: 30_000, run: () => eraseLeftBehind({ db }) },
];
