import { MESSAGE_DOMAINS_MAX, type MessageDomain } from '@sixdigit/contract/message-links.ts';
import { byOwner, record } from '../../audit/audit.ts';
import { notifyService } from '../../messaging/notices/notices.ts';
import { recordOf, type TxtLookup, type TxtProblem } from '../../platform/addresses/txt-lookup.ts';
import { pageUrl } from '../../platform/config.ts';
import { claimCheck, claimDueProofs, settleProof } from '../../platform/db/domain-proofs.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { UserCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { listableDomain } from './links.ts';
import {
  type DomainRow,
  deleteDomain,
  findDomain,
  insertDomain,
  lockDomainsOf,
  MESSAGE_DOMAINS,
  selectDomains,
  selectDomainsById,
} from './queries.ts';

export type DomainsApp = Needs<'config' | 'db' | 'random' | 'vault' | 'wakeups' | 'log'> & {
  txtLookup: TxtLookup;
};

const RECORD_NAME = '_otp-messages';

/** The domains of an account with the DNS records that prove them. */
const shown = ({ account_id: _, token, ...row }: DomainRow): MessageDomain => ({
  ...row,
  record_name: nameOf(row.domain),
  record_value: recordOf(token),
});
const nameOf = (domain: string): string => `${RECORD_NAME}.${domain}`;

export async function domainsOf(app: Needs<'config' | 'db'>, account_id: string) {
  const results = (await selectDomains(app.db, account_id)).map(shown);
  return { results, count: results.length, links: app.config.messageLinks };
}

export async function addDomain(app: DomainsApp, caller: UserCaller, text: string): Promise<MessageDomain> {
  const listable = listableDomain(text);
  if ('problem' in listable) throw new FieldErrors({ domain: [listable.problem] });
  const { domain } = listable;
  const { account_id } = caller;
  return app.db.transaction(async (tx) => {
    await lockDomainsOf(tx, account_id);
    if ((await selectDomains(tx, account_id)).length >= MESSAGE_DOMAINS_MAX)
      throw new FieldErrors({ domain: [`At most ${MESSAGE_DOMAINS_MAX} domains are possible.`] });
    const token = app.random.token();
    const row = await insertDomain(tx, { id: app.random.uuid(), account_id, domain, token });
    if (!row) throw new FieldErrors({ domain: [`The list has ${domain} already.`] });
    await record(tx, app, { ...byOwner(caller), action: 'message_domain.add', subject: domain });
    return shown(row);
  });
}

export async function removeDomain(app: DomainsApp, caller: UserCaller, id: string): Promise<void> {
  if (!isUuid(id)) throw new Failure('not_found');
  await app.db.transaction(async (tx) => {
    const gone = await deleteDomain(tx, { id, account_id: caller.account_id });
    if (!gone) throw new Failure('not_found');
    await record(tx, app, { ...byOwner(caller), action: 'message_domain.remove', subject: gone.domain });
  });
}

/** Looks up the record now. Throws `too_many_requests` within five seconds of the last look-up. */
export async function verifyDomain(app: DomainsApp, caller: UserCaller, id: string): Promise<MessageDomain> {
  const key = { id, account_id: caller.account_id };
  const found = isUuid(id) ? await findDomain(app.db, key) : undefined;
  if (!found) throw new Failure('not_found');
  if (!(await claimCheck(app.db, MESSAGE_DOMAINS, id)))
    throw new Failure('too_many_requests', { retry_after: 5 });
  await settle(app, found, await lookUp(app, found), caller);
  const row = await findDomain(app.db, key);
  if (!row) throw new Failure('not_found');
  return shown(row);
}

const BATCH_SIZE = 5;

/** Checks old proofs again. Returns true if more may be due. */
export async function proveAgain(app: DomainsApp): Promise<boolean> {
  const due = await selectDomainsById(app.db, await claimDueProofs(app.db, MESSAGE_DOMAINS, BATCH_SIZE));
  await Promise.all(due.map(async (domain) => settle(app, domain, await lookUp(app, domain), undefined)));
  return due.length === BATCH_SIZE;
}

const lookUp = ({ txtLookup }: DomainsApp, { domain, token }: DomainRow): Promise<TxtProblem | null> =>
  txtLookup.problemOf(nameOf(domain), recordOf(token));

/** Applies the result of a look-up. The owner gets a mail when the record is first missing and when the grace period ends. */
async function settle(
  app: DomainsApp,
  before: DomainRow,
  problem: TxtProblem | null,
  caller: UserCaller | undefined,
): Promise<void> {
  const { account_id, domain } = before;
  const by = caller ? byOwner(caller) : ({ account_id, actor: 'system' } as const);
  const proof = { ...before, isVerified: before.status !== 'pending' };
  await app.db.transaction(async (tx) => {
    const settled = await settleProof(tx, MESSAGE_DOMAINS, proof, problem);
    if (settled?.change === 'verified')
      await record(tx, app, { ...by, action: 'message_domain.verify', subject: domain });
    if (settled?.change === 'lapsed')
      await record(tx, app, { ...by, action: 'message_domain.lapse', subject: domain });
    if (settled && settled.change !== 'verified')
      await notifyService(tx, app, account_id, {
        kind: 'messageDomainMissing',
        domain,
        recordName: nameOf(domain),
        lapsesAt: settled.lapses_at,
        settingsUrl: pageUrl(app, '/settings#link-domains'),
      });
  });
  app.wakeups.notify('notices');
}
