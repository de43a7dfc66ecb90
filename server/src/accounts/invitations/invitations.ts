/**
 * Invitations to an account. The response, the mail and their timing are the same whether or not the address has an account of
 * its own. What must survive a revoked invitation, the number of mails, is counted by throttles.
 */

import {
  INVITATION_DAYS,
  type Invitation,
  OPEN_INVITATIONS_MAX,
} from '@sixdigit/contract/accounts/invitations.ts';
import { MEMBERS_MAX } from '@sixdigit/contract/accounts/members.ts';
import { isAtLeast, type Role } from '@sixdigit/contract/roles.ts';
import { byOwner, record } from '../../audit/audit.ts';
import { postNotice } from '../../messaging/notices/notices.ts';
import { pageUrl } from '../../platform/config.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import { requireRole, type UserCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { isUuid } from '../../platform/security/random.ts';
import type { App as AccountsApp } from '../account.ts';
import {
  INVITATIONS_BY_ACCOUNT,
  INVITATIONS_BY_ACCOUNT_AND_ADDRESS,
  INVITATIONS_BY_ADDRESS,
  INVITATIONS_BY_PERSON,
  INVITATIONS_BY_PERSON_AND_ADDRESS,
  type Reservation,
  reserve,
  throttle,
} from '../limits.ts';
import { lockMembers } from '../members/authority.ts';
import {
  countOpenInvitations,
  deleteInvitation,
  findInvitation,
  type InvitationRow,
  insertInvitation,
  renewInvitation,
  selectInvitations,
} from '../members/invitation-queries.ts';
import { countMembers, isMemberAddress, nameOf } from '../members/queries.ts';
import { hashOfToken } from '../sessions/tokens.ts';

type App = Needs<'db' | 'random' | 'vault' | 'config' | 'wakeups'> & Pick<AccountsApp, 'carriers'>;

export async function invitationsOf(
  app: App,
  caller: UserCaller,
  /** `withLinks`: the caller may see links; see `Invitation` in the contract */
  { withLinks }: { withLinks: boolean },
): Promise<{ results: Invitation[] }> {
  const rows = await selectInvitations(app.db, caller.account_id);
  // An admin cannot read the link of an invitation that makes an owner.
  return {
    results: rows.map((row) => shown(app, row, { withLink: withLinks && isAtLeast(caller.role, row.role) })),
  };
}

/**
 * Throws `role_too_low`, `account_suspended`, `member_limit_reached`, `invitation_limit_reached`,
 * `too_many_requests`, `invited_too_often`, and a field error for an address that belongs to a member or has been invited.
 */
export async function createInvitationOf(
  app: App,
  caller: UserCaller,
  { email, role }: { email: string; role: Role },
): Promise<Invitation> {
  requireRole(caller, isAtLeast(role, 'admin') ? role : 'admin');
  const { account_id } = caller;
  const row = await sendingMail(app, caller, email, async (tx) => {
    const { role: own, suspension } = await lockMembers(tx, caller, 'admin');
    requireRole({ role: own }, role);
    if (suspension.suspended_at !== null) throw new Failure('account_suspended');
    if (await isMemberAddress(tx, account_id, email))
      throw refused('This address already belongs to a member.');
    const id = app.random.uuid();
    const token_hash = hashOfToken(tokenOf(app, { id, links: 1 }));
    // Before the count, which would otherwise refuse an address that is invited already for another reason.
    const made = await insertInvitation(tx, {
      id,
      account_id,
      email,
      role,
      token_hash,
      invited_by: caller.person_id,
    });
    if (!made) throw refused('This address has already been invited.');
    if ((await countOpenInvitations(tx, account_id)) > OPEN_INVITATIONS_MAX)
      throw new Failure('invitation_limit_reached');
    if ((await countMembers(tx, account_id)) >= MEMBERS_MAX) throw new Failure('member_limit_reached');
    await record(tx, app, {
      ...byOwner(caller),
      action: 'member.invite',
      subject: email,
      after: { role },
    });
    return made;
  });
  return shown(app, row, { withLink: false });
}

/** Throws `not_found`, `role_too_low`, `account_suspended`, `too_many_requests` and `invited_too_often`. */
export async function resendInvitationOf(app: App, caller: UserCaller, id: string): Promise<Invitation> {
  const open = isUuid(id) ? await findInvitation(app.db, caller.account_id, id) : undefined;
  if (!open) throw new Failure('not_found');
  const row = await sendingMail(app, caller, open.email, async (tx) => {
    const { role, suspension } = await lockMembers(tx, caller, 'admin');
    const before = await findInvitation(tx, caller.account_id, id);
    if (!before) throw new Failure('not_found');
    requireRole({ role }, before.role);
    if (suspension.suspended_at !== null) throw new Failure('account_suspended');
    const token = tokenOf(app, { id, links: before.links + 1 });
    const renewed = await renewInvitation(tx, id, hashOfToken(token));
    if (!renewed) throw new Failure('not_found');
    const { email: subject } = renewed;
    await record(tx, app, { ...byOwner(caller), action: 'member.invite_resend', subject });
    return renewed;
  });
  return shown(app, row, { withLink: false });
}

/** Throws `not_found` and `role_too_low`. */
export async function revokeInvitationOf(
  app: Needs<'db' | 'random'>,
  caller: UserCaller,
  id: string,
): Promise<void> {
  await app.db.transaction(async (tx) => {
    const { role } = await lockMembers(tx, caller, 'admin');
    const open = isUuid(id) ? await findInvitation(tx, caller.account_id, id) : undefined;
    if (!open) throw new Failure('not_found');
    requireRole({ role }, open.role);
    if ((await deleteInvitation(tx, id)) === 0) throw new Failure('not_found');
    await record(tx, app, {
      ...byOwner(caller),
      action: 'member.invite_revoke',
      subject: open.email,
      before: { role: open.role },
    });
  });
}

/** Makes an invitation's new link in a transaction and posts the mail with it, within the limits on mails. */
async function sendingMail(
  app: App,
  caller: UserCaller,
  email: string,
  work: (tx: Tx) => Promise<InvitationRow>,
): Promise<InvitationRow> {
  if (!app.carriers.has('email')) throw refused(NO_MAIL);
  // The caller's own limits come first, so that refused calls never hold a part of the limit that all accounts share.
  const reservation: Reservation = await reserve(app, [
    throttle(INVITATIONS_BY_ACCOUNT_AND_ADDRESS, caller.account_id, email),
    throttle(INVITATIONS_BY_PERSON_AND_ADDRESS, caller.person_id, email),
    throttle(INVITATIONS_BY_ACCOUNT, caller.account_id),
    throttle(INVITATIONS_BY_PERSON, caller.person_id),
    throttle(INVITATIONS_BY_ADDRESS, email),
  ]);
  try {
    const row = await app.db.transaction(async (tx) => {
      const made = await work(tx);
      await postNotice(tx, app, {
        account_id: caller.account_id,
        channel: 'email',
        recipient: email,
        contents: {
          kind: 'invitation',
          account: await nameOf(tx, caller.account_id),
          invitedBy: made.invited_by ?? '',
          role: made.role,
          days: INVITATION_DAYS,
          invitationUrl: linkOf(app, tokenOf(app, made)),
        },
        expires_at: made.expires_at,
      });
      return made;
    });
    app.wakeups.notify('notices');
    return row;
  } catch (error) {
    await reservation.release();
    throw error;
  }
}

const NO_MAIL = 'This service cannot send email yet. Its operator must set up a carrier first.';

const refused = (text: string): FieldErrors => new FieldErrors({ email: [text] });

/**
 * The token in the link of an invitation. The server key makes it from the invitation's id and the number of the link, so the
 * database has only its hash, and a sandbox can show the link again.
 */
const tokenOf = (app: Needs<'vault'>, { id, links }: Pick<InvitationRow, 'id' | 'links'>): string =>
  app.vault.fingerprint('invitation', `${id}:${links}`).toString('base64url');

/** Browsers do not send the fragment, so the token appears in no access log. */
const linkOf = (app: Needs<'config'>, token: string): string => pageUrl(app, `/invitations#${token}`);

/** The invitation as the API shows it. `withLink`: includes its link, unless the server key has changed since it was made. */
function shown(
  app: Needs<'config' | 'vault'>,
  row: InvitationRow,
  { withLink }: { withLink: boolean },
): Invitation {
  const { id, email, role, invited_by, created_at, expires_at } = row;
  const token = tokenOf(app, row);
  const link = withLink && hashOfToken(token).equals(row.token_hash) ? linkOf(app, token) : undefined;
  return { id, email, role, invited_by, created_at, expires_at, ...(link === undefined ? {} : { link }) };
}
