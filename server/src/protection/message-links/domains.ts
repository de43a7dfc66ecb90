import { Resolver } from 'node:dns/promises';
import {
  type DOMAIN_PROBLEMS,
  MESSAGE_DOMAINS_MAX,
  type MessageDomain,
} from '@sixdigit/contract/message-links.ts';
import { byOwner, record } from '../../audit/audit.ts';
import { notifyService } from '../../messaging/notices/notices.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { UserCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import { listableDomain } from './links.ts';
import {
  claimCheck,
  claimDue,
  type DomainRow,
  deleteDomain,
  findDomain,
  insertDomain,
  lockDomainsOf,
  markFound,
  markMissing,
  selectDomains,
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
const recordOf = (token: string): string => `domain-verification=${token}`;

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
  if (!isUuid(id) || !(await findDomain(app.db, key))) throw new Failure('not_found');
  const claimed = await claimCheck(app.db, key);
  if (!claimed) throw new Failure('too_many_requests', { retry_after: 5 });
  await settle(app, claimed, await lookUp(app, claimed), caller);
  const row = await findDomain(app.db, key);
  if (!row) throw new Failure('not_found');
  return shown(row);
}

const BATCH_SIZE = 5;

/** Checks old proofs again. Returns true if more may be due. */
export async function proveAgain(app: DomainsApp): Promise<boolean> {
  const due = await claimDue(app.db, BATCH_SIZE);
  await Promise.all(due.map(async (domain) => settle(app, domain, await lookUp(app, domain), undefined)));
  return due.length === BATCH_SIZE;
}

const lookUp = ({ txtLookup }: DomainsApp, { domain, token }: DomainRow): Promise<Problem | null> =>
  txtLookup.problemOf(nameOf(domain), recordOf(token));

/** Applies the result of a look-up. The owner gets a mail when the record is first missing and when the grace period ends. */
async function settle(
  app: DomainsApp,
  before: DomainRow,
  problem: Problem | null,
  caller: UserCaller | undefined,
): Promise<void> {
  const { account_id, domain } = before;
  const by = caller ? byOwner(caller) : ({ account_id, actor: 'system' } as const);
  await app.db.transaction(async (tx) => {
    if (problem === null) {
      const found = await markFound(tx, before);
      if (found && before.status === 'pending')
        await record(tx, app, { ...by, action: 'message_domain.verify', subject: domain });
      return;
    }
    const missed = await markMissing(tx, before, problem);
    if (!missed) return;
    if (missed.has_lapsed) await record(tx, app, { ...by, action: 'message_domain.lapse', subject: domain });
    if (missed.has_lapsed || missed.begins_to_lapse)
      await notifyService(tx, app, account_id, {
        kind: 'messageDomainMissing',
        domain,
        recordName: nameOf(domain),
        lapsesAt: missed.has_lapsed ? null : missed.lapses_at,
        settingsUrl: `${app.config.publicUrl ?? `http://localhost:${app.config.port}`}/settings#messages`,
      });
  });
  app.wakeups.notify('notices');
}

/** Looks up TXT records. Look-ups are bounded in number and time, and never happen inside a transaction. */
export interface TxtLookup {
  /** null: the name has the value. Throws `too_many_requests` if too many look-ups are in flight. */
  problemOf(name: string, value: string): Promise<Problem | null>;
}

type Problem = (typeof DOMAIN_PROBLEMS)[number];

const TIMEOUT_MS = 3_000;
const TRIES = 2;
const AT_ONCE = 10;
/** The name has no TXT record, or the domain does not exist. Anything else may be temporary. */
const ABSENT = new Set(['ENODATA', 'ENOTFOUND']);

/** `servers`: addresses with optional ports; empty: those of the system. */
export function createTxtLookup(servers: readonly string[]): TxtLookup {
  let inFlight = 0;
  return {
    async problemOf(name, value) {
      if (inFlight >= AT_ONCE) throw new Failure('too_many_requests', { retry_after: 5 });
      inFlight += 1;
      const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
      if (servers.length > 0) resolver.setServers(servers);
      // A server that responds slowly piece by piece must not occupy a look-up for long.
      const timer = setTimeout(() => resolver.cancel(), TIMEOUT_MS * (TRIES + 1));
      try {
        const records = await resolver.resolveTxt(name);
        const found = records.map((parts) => parts.join('').trim());
        return found.includes(value) ? null : 'record_differs';
      } catch (error) {
        return ABSENT.has((error as { code?: string }).code ?? '') ? 'record_missing' : 'dns_unavailable';
      } finally {
        clearTimeout(timer);
        inFlight -= 1;
      }
    },
  };
}
