import type { ListKind } from '@sixdigit/contract/protection/protection.ts';
import type { Needs } from '../platform/platform.ts';
import { isUuid } from '../platform/security/random.ts';
import { equalSecrets } from '../platform/security/vault.ts';

/** The content of a mail's link: it allows this one destination, in this account, until a time. */
export interface UnblockLink {
  account_id: string;
  kind: Extract<ListKind, 'prefix' | 'country'>;
  value: string;
}

const PURPOSE = 'protection-unblock';
const DAY_MS = 86_400_000;
const LINK_DAYS = 7;

/** The token names what it allows and is signed, so nothing is stored for it. */
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
