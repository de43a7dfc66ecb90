/**
 * Links in messages. With MESSAGE_LINKS=listed, an account's messages link only to domains that it has listed and proven, so that
 * the service cannot be used for phishing.
 */

import { renderSms } from '@sixdigit/contract/text/sms-segments.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';
import { firstForeignHost, hasCodeInHost, hasLinks } from './links.ts';
import { countsForMessages } from './queries.ts';

export { domainsOf } from './domains.ts';
export { hasCodeInHost, hasLinks, hasOtherHosts, KNOWN_HOSTS_MOST, listableDomain } from './links.ts';
export { deleteDomainsOf as deleteMessageDomainsOf } from './queries.ts';

type Texts = Record<string, string | null | undefined>;

/**
 * Throws a field error that names the first domain that the account has not proven. Runs no query for a text without a link, or
 * if the service allows any link. `code`: the code that the sender made, whose letters could complete a domain.
 */
export async function requireListedLinks(
  app: Needs<'config' | 'db'>,
  account_id: string,
  texts: Texts,
  { what = '', code = '{code}' }: { what?: string; code?: string | undefined } = {},
): Promise<void> {
  if (app.config.messageLinks === 'any') return;
  const linking = Object.entries(texts).flatMap(([field, template]): [string, string][] => {
    const text = renderSms(template ?? '', code);
    return hasLinks(text) ? [[field, text]] : [];
  });
  if (linking.length === 0) return;
  const domains = await countsForMessages(app.db, account_id);
  const problems = linking.flatMap(([field, text]) => {
    const host = firstForeignHost(text, domains);
    return host === undefined ? [] : [[field, [sentenceOf(host, what)]] as [string, string[]]];
  });
  if (problems.length > 0) throw new FieldErrors(Object.fromEntries(problems));
}

/** Like `requireListedLinks`, for templates that are stored and later filled in with codes of any letters. */
export async function requireListedTemplates(
  app: Needs<'config' | 'db'>,
  account_id: string,
  templates: Texts,
): Promise<void> {
  if (app.config.messageLinks === 'any') return;
  const problems = Object.entries(templates).filter(([, template]) => template && hasCodeInHost(template));
  if (problems.length > 0)
    throw new FieldErrors(Object.fromEntries(problems.map(([field]) => [field, [CODE_IN_HOST]])));
  await requireListedLinks(app, account_id, templates);
}

const CODE_IN_HOST = 'The code must not be part of a domain. Put a space or a slash before {code}.';

const sentenceOf = (host: string, what: string): string =>
  `${what === '' ? 'This' : what} links to ${host}. Add the domain under Settings, OTP Configuration and verify it, or remove the link.`;
