import { z } from 'zod';
import { id, optionalTime, time } from '../field.ts';
import { ROLES } from '../roles.ts';
import { route } from '../route.ts';
import { viewerTexts, wholeText } from '../viewer-texts.ts';

/** An account has at most this many members. */
export const MEMBERS_MAX = 500;

const own = { tag: 'account', auth: 'bearer' } as const;
export const role = z.enum(ROLES, { error: `Role must be one of: ${ROLES.join(', ')}.` });

export const Member = z.object({
  person_id: id,
  email: wholeText,
  name: z
    .string()
    .meta({ description: 'First and last name; empty if the person has entered none' })
    .register(viewerTexts, { shown: 'whole' }),
  role,
  joined_at: time,
  last_seen_at: optionalTime.meta({
    description: 'The last request about the account, to within ten minutes',
  }),
  service_notices: z.boolean().optional().meta({
    description:
      "In the caller's own row: whether they get mails about webhooks and message domains that stopped working",
  }),
});
export type Member = z.infer<typeof Member>;

export const listMembers = route('GET /members/', {
  ...own,
  name: 'listMembers',
  summary: 'Members of the account, in the order in which they joined',
  reply: z.object({ results: z.array(Member) }),
});

export const changeRole = route('PUT /members/:person_id/', {
  ...own,
  name: 'changeRole',
  stepUp: true,
  summary: 'Change the role of a member',
  description:
    "Nobody changes the role of a member whose role is above their own, gives a role above their own, or raises themselves. The change applies from the member's next request, and the member gets a mail. The last owner keeps the role.",
  body: z.object({ role }),
  reply: Member,
  failures: ['not_found', 'last_owner', 'sso_exempt_owner'],
});

export const removeMember = route('DELETE /members/:person_id/', {
  ...own,
  name: 'removeMember',
  stepUp: true,
  summary: 'Remove a member',
  description:
    'Their requests about the account get 404 at once. Their open invitations are revoked. The API keys that they made keep working; a mail to the owners lists the live ones.',
  failures: ['not_found', 'last_owner', 'sso_exempt_owner'],
});

export const leaveAccount = route('DELETE /members/me/', {
  ...own,
  name: 'leaveAccount',
  summary: 'Leave the account',
  description: 'Has the same effects as the removal by another member.',
  failures: ['last_owner', 'sso_exempt_owner'],
});

export const updateNotices = route('PUT /members/me/notices/', {
  ...own,
  name: 'updateNotices',
  summary: 'Choose which mails about the account to get',
  description:
    'Mails about money and security always go to owners and admins. Mails about webhooks and message domains that stopped working go to owners, admins and developers, unless they choose otherwise.',
  body: z.object({ service_notices: z.boolean({ error: 'Must be true or false.' }) }),
  reply: z.object({ service_notices: z.boolean() }),
});
