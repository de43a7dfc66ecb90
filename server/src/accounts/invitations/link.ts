import type { Invitation } from '@sixdigit/contract/accounts/invitations.ts';
import { pageUrl } from '../../platform/config.ts';
import type { Needs } from '../../platform/platform.ts';
import type { InvitationRow } from '../members/invitation-queries.ts';
import { hashOfToken } from '../sessions/tokens.ts';

/**
 * The token in the link of an invitation. The server key makes it from the invitation's id and the number of the link, so the
 * database has only its hash, and a sandbox can show the link again.
 */
export const tokenOf = (app: Needs<'vault'>, { id, links }: Pick<InvitationRow, 'id' | 'links'>): string =>
  app.vault.fingerprint('invitation', `${id}:${links}`).toString('base64url');

/** Browsers do not send the fragment, so the token appears in no access log. */
export const linkOf = (app: Needs<'config'>, token: string): string => pageUrl(app, `/invitations#${token}`);

/** The invitation as the API shows it. `withLink`: includes its link, unless the server key has changed since it was made. */
export function shown(
  app: Needs<'config' | 'vault'>,
  row: InvitationRow,
  { withLink }: { withLink: boolean },
): Invitation {
  const { id, email, role, invited_by, created_at, expires_at } = row;
  const token = tokenOf(app, row);
  const link = withLink && hashOfToken(token).equals(row.token_hash) ? linkOf(app, token) : undefined;
  return { id, email, role, invited_by, created_at, expires_at, ...(link === undefined ? {} : { link }) };
}
