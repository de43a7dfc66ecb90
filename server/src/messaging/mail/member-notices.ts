import type { Role } from '@sixdigit/contract/roles.ts';
import { isPlainName } from '@sixdigit/contract/text/plain-name.ts';
import { type Letterhead, type Mail, renderNotice } from './notice.ts';

/**
 * Goes to an address that a member has entered. It contains the member's verified address, and the account's name only if no mail
 * program turns it into a link, so that nobody can send texts of their own through us.
 */
export function invitation(
  notice: Letterhead & {
    account: string;
    invitedBy: string;
    role: Role;
    days: number;
    invitationUrl: string;
  },
): Mail {
  const { brand, account, invitedBy, role, days } = notice;
  const which = isPlainName(account) ? `the account “${account}”` : 'their account';
  return renderNotice({
    ...notice,
    heading: `You are invited to ${brand}`,
    subject: `Invitation to an account at ${brand}`,
    paragraphs: [
      `${invitedBy || 'A member'} invites you to ${which} at ${brand}, with the role ${role}.`,
      `The link works once, for ${days} days, and only with this email address.`,
    ],
    action: { label: 'Open the invitation', url: notice.invitationUrl },
    remark: 'If you do not know this person, you can ignore this email. Do not forward it.',
  });
}

export function roleChanged(
  notice: Letterhead & { account: string; role: Role; dashboardUrl: string },
): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your role was changed',
    subject: `Your role in an account at ${notice.brand} was changed`,
    paragraphs: [`Your role in the account “${notice.account}” is now ${notice.role}.`],
    action: { label: 'Open the dashboard', url: notice.dashboardUrl },
  });
}

export function removedFromAccount(notice: Letterhead & { account: string }): Mail {
  return renderNotice({
    ...notice,
    heading: 'You were removed from an account',
    subject: `You were removed from an account at ${notice.brand}`,
    paragraphs: [
      `You are no longer a member of the account “${notice.account}”. You can still sign in to ${notice.brand}.`,
    ],
  });
}

export function memberJoined(
  notice: Letterhead & { account: string; email: string; role: Role; membersUrl: string },
): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your account has a new member',
    subject: `Your ${notice.brand} account has a new member`,
    paragraphs: [`${notice.email} joined the account “${notice.account}” with the role ${notice.role}.`],
    action: { label: 'Open the members', url: notice.membersUrl },
    remark: 'If you do not know this person, remove them and contact us.',
  });
}

/** `keys`: names; `more`: how many others there are. */
export function keysOfFormerMember(
  notice: Letterhead & { account: string; email: string; keys: string[]; more: number; keysUrl: string },
): Mail {
  const { account, email, keys, more } = notice;
  const list = keys.map((name) => `“${name}”`).join(', ');
  return renderNotice({
    ...notice,
    heading: 'A former member knows live API keys',
    subject: 'Rotate the live API keys of a former member',
    paragraphs: [
      `${email} is no longer a member of the account “${account}”, but may know the secrets of the live keys and connections that they made or rotated last: ${list}${more > 0 ? ` and ${more} more` : ''}.`,
      'These keep working. Rotate each of them to replace its secret.',
    ],
    action: { label: 'Open the API keys', url: notice.keysUrl },
  });
}

/** Goes to all members. */
export function ownerMade(notice: Letterhead & { account: string; email: string; membersUrl: string }): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your account has a new owner',
    subject: `Your ${notice.brand} account has a new owner`,
    paragraphs: [`Our support team made ${notice.email} an owner of the account “${notice.account}”.`],
    action: { label: 'Open the members', url: notice.membersUrl },
    remark: 'If you did not ask for this, contact us at once.',
  });
}

export function personDeleted(notice: Letterhead): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your profile was deleted',
    paragraphs: [`Your ${notice.brand} profile and the personal data in it were deleted.`],
    remark: 'If this was not you, contact us at once.',
  });
}
