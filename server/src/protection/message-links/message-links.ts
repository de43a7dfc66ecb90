import { FieldErrors } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';
import { firstForeignHost, hasLinks } from './links.ts';
import { countsForMessages } from './queries.ts';

/**
 * Links in messages. With MESSAGE_LINKS=listed, an account's messages link only to domains that it has listed and proven, so that
 * the service cannot be used for phishing.
 */
export { domainsOf } from './domains.ts';
export { listableDomain } from './links.ts';
export { deleteDomainsOf as deleteMessageDomainsOf } from './queries.ts';

/**
 * Throws a field error that names the first domain that the account has not proven. Runs no query for a text without a link, or
 * if the service allows any link.
 */
export async function requireListedLinks(
  app: Needs<'config' | 'db'>,
  account_id: string,
  texts: Record<string, string | undefined>,
  what = '',
): Promise<void> {
  if (app.config.messageLinks === 'any') return;
  const linking = Object.entries(texts).filter(([, text]) => text && hasLinks(text));
  if (linking.length === 0) return;
  const domains = await countsForMessages(app.db, account_id);
  const problems = linking.flatMap(([field, text]) => {
    const host = firstForeignHost(text ?? '', domains);
    return host === undefined ? [] : [[field, [sentenceOf(host, what)]] as [string, string[]]];
  });
  if (problems.length > 0) throw new FieldErrors(Object.fromEntries(problems));
}

const sentenceOf = (host: string, what: string): string =>
  `${what === '' ? 'This' : what} links to ${host}. Add the domain under Settings, Messages and verify it, or remove the link.`;
