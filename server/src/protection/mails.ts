import type { ListKind } from '@sixdigit/contract/protection/protection.ts';
import type { MailedRule } from '../messaging/mail/mail.ts';
import { notifyAccount } from '../messaging/notices/notices.ts';
import type { Tx } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import { equalSecrets } from '../platform/security/vault.ts';
import type { Objection } from './decision.ts';

type App = Needs<'vault' | 'random' | 'config' | 'clock'>;

/** An attack on many prefixes must not cause a flood of mails; the request log shows all blocked sends. */
const MAILS_A_DAY = 20;

/** Mails the account about the first block of each prefix or country of a day, with a link that unblocks it. */
export async function mailBlocks(tx: Tx, app: App, objections: readonly Objection[]): Promise<boolean> {
  const firsts = new Map<string, { link: UnblockLink; rule: MailedRule; blocked: number }>();
  for (const objection of objections) {
    const mailed = mailedOf(objection);
    if (mailed) firsts.set(`${mailed.link.account_id} ${mailed.link.kind} ${mailed.link.value}`, mailed);
  }
  let hasMailed = false;
  for (const [, { link, rule, blocked }] of [...firsts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!(await claimMail(tx, link))) continue;
    const token = unblockToken(app, link, app.clock.now());
    await notifyAccount(tx, app, link.account_id, {
      kind: 'destinationBlocked',
      destination:
        link.kind === 'country' ? `the country ${link.value}` : `numbers that begin with ${link.value}`,
      rule,
      blocked,
      unblockUrl: `${app.config.publicUrl ?? ''}/protection/unblock?token=${token}`,
    });
    hasMailed = true;
  }
  return hasMailed;
}

/**
 * Other blocks send no mail: the account set its countries and its deny list itself, and it cannot lift the operator's blocks
 * or blocks of single clients.
 */
function mailedOf({
  account_id,
  rule,
  scope,
  prefix,
  country,
  client,
  blocked,
}: Objection): { link: UnblockLink; rule: MailedRule; blocked: number } | undefined {
  if (blocked === 0 || scope === 'deployment' || client !== '') return undefined;
  if (rule === 'country_unverified')
    return { link: { account_id, kind: 'country', value: country }, rule, blocked };
  if (rule !== 'prefix_velocity' && rule !== 'prefix_conversion') return undefined;
  return { link: { account_id, kind: 'prefix', value: prefix }, rule, blocked };
}

/** Returns true in exactly one process per day and destination: the one that may send the mail. */
const claimMail = async (tx: Tx, { account_id, kind, value }: UnblockLink): Promise<boolean> =>
  (await tx.run(
    `insert into protection_mails (account_id, subject, day)
     select $1, $2, (clock_now() at time zone 'UTC')::date
     where (select count(*) from protection_mails
       where account_id = $1 and day = (clock_now() at time zone 'UTC')::date) < $3
     on conflict do nothing`,
    [account_id, `${kind} ${value}`, MAILS_A_DAY],
  )) === 1;

/** The payload of an unblock link: one destination of one account, valid until a time. */
interface UnblockLink {
  account_id: string;
  kind: Extract<ListKind, 'prefix' | 'country'>;
  value: string;
}

const PURPOSE = 'protection-unblock';
const DAY_MS = 86_400_000;
const LINK_DAYS = 7;

/** The signed token contains its payload, so no row is stored. */
export function unblockToken(
  app: Needs<'vault'>,
  { account_id, kind, value }: UnblockLink,
  now: Date,
): string {
  const until = now.getTime() + LINK_DAYS * DAY_MS;
  const text = [account_id, kind, value, until].join(' ');
  const signature = app.vault.fingerprint(PURPOSE, text).toString('base64url');
  return `${Buffer.from(text).toString('base64url')}.${signature}`;
}

export function readUnblockToken(app: Needs<'vault'>, token: string, now: Date): UnblockLink | undefined {
  const [encoded = '', given = '', ...more] = token.split('.');
  if (more.length > 0) return undefined;
  const text = Buffer.from(encoded, 'base64url').toString('utf8');
  const signature = Buffer.from(given, 'base64url');
  if (!app.vault.fingerprints(PURPOSE, text).some((own) => equalSecrets(own, signature))) return undefined;
  const [account_id = '', kind, value = '', until] = text.split(' ');
  if (!isUuid(account_id) || Number(until) < now.getTime()) return undefined;
  if (kind !== 'prefix' && kind !== 'country') return undefined;
  return { account_id, kind, value };
}
