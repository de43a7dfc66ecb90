import type { SsoState } from '@sixdigit/contract/accounts/sso.ts';
import { type AuditRecord, byOwner, record } from '../../audit/audit.ts';
import { notifyAccount } from '../../messaging/notices/notices.ts';
import { recordOf, type TxtProblem } from '../../platform/addresses/txt-lookup.ts';
import { pageUrl } from '../../platform/config.ts';
import { claimCheck, claimDueProofs, settleProof } from '../../platform/db/domain-proofs.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { UserCaller } from '../../platform/http/serve.ts';
import { findSso, SSO_DOMAINS, type SsoRow, selectProofs } from './queries.ts';
import { nameOf, type SsoApp, ssoOf } from './settings.ts';

/** The proof of the domain, like that of the domains that messages may link to. */
type ProofApp = Omit<
  SsoApp,
  'providers' | 'lockMembers' | 'isOwnerWithProof' | 'endSsoSessionsOf' | 'shortenSsoSessionsOf'
>;

/** Looks up the record and reads the provider's discovery document now. Throws `too_many_requests` within five seconds. */
export async function checkSsoOf(
  app: SsoApp,
  caller: UserCaller,
): Promise<SsoState & { issuer_problem: string | null }> {
  const { account_id } = caller;
  const before = await app.db.transaction(async (tx) => {
    await app.lockMembers(tx, caller, 'owner');
    const row = await findSso(tx, account_id);
    if (!row) throw new Failure('not_found');
    if (!(await claimCheck(tx, SSO_DOMAINS, account_id)))
      throw new Failure('too_many_requests', { retry_after: 5 });
    return row;
  });
  const [problem, issuer_problem] = await Promise.all([lookUp(app, before), app.providers.problemOf(before)]);
  await app.db.transaction(async (tx) => {
    await app.lockMembers(tx, caller, 'owner');
    await settle(tx, app, before, { problem, by: byOwner(caller) });
  });
  app.wakeups.notify('notices');
  return { ...(await ssoOf(app, account_id)), issuer_problem };
}

const BATCH_SIZE = 5;

/** Checks old proofs again. Returns true if more may be due. */
export async function proveDomainsAgain(app: ProofApp): Promise<boolean> {
  const due = await selectProofs(app.db, await claimDueProofs(app.db, SSO_DOMAINS, BATCH_SIZE));
  await Promise.all(due.map((row) => proveAgain(app, row)));
  return due.length === BATCH_SIZE;
}

async function proveAgain(app: ProofApp, row: SsoRow): Promise<void> {
  const problem = await lookUp(app, row);
  const by = { account_id: row.account_id, actor: 'system' } as const;
  await app.db.transaction((tx) => settle(tx, app, row, { problem, by }));
  app.wakeups.notify('notices');
}

const lookUp = ({ txtLookup }: ProofApp, { domain, token }: SsoRow): Promise<TxtProblem | null> =>
  txtLookup.problemOf(nameOf(domain), recordOf(token));

/** Send the wake-up `notices` after the commit. Throws `sso_domain_taken` if another account has proven the domain. */
async function settle(
  tx: Tx,
  app: ProofApp,
  { account_id, domain, token, verified_at }: SsoRow,
  { problem, by }: { problem: TxtProblem | null; by: Omit<AuditRecord, 'action'> },
): Promise<void> {
  const proof = { id: account_id, token, isVerified: verified_at !== null };
  const settled = await settleProof(tx, SSO_DOMAINS, proof, problem).catch((error: unknown) => {
    throw isTaken(error) ? new Failure('sso_domain_taken') : error;
  });
  if (settled?.change === 'verified')
    await record(tx, app, { ...by, action: 'sso.verify_domain', subject: domain });
  if (settled?.change === 'lapsed')
    await record(tx, app, { ...by, action: 'sso.lapse_domain', subject: domain });
  if (settled && settled.change !== 'verified')
    await notifyAccount(tx, app, account_id, {
      kind: 'ssoDomainMissing',
      domain,
      recordName: nameOf(domain),
      lapsesAt: settled.lapses_at,
      settingsUrl: pageUrl(app, '/settings'),
    });
}

const isTaken = (error: unknown): boolean =>
  (error as { code?: string; constraint?: string }).code === '23505' &&
  (error as { constraint?: string }).constraint === 'account_sso_domain';
