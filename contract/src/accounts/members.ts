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
      "Only in the caller's own row: whether they get emails about webhooks and message domains that stopped working",
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
    "A caller cannot change the role of a member whose role is above their own, or give a role above their own. The change applies from the member's next request. The member gets an email. The last owner must stay an owner.",
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
    'Their requests about the account get 404 immediately, and the invitations that they made are revoked. API keys and connections that they made or rotated keep working; an email to the owners lists the live ones.',
  failures: ['not_found', 'last_owner', 'sso_exempt_owner'],
});

export const leaveAccount = route('DELETE /members/me/', {
  ...own,
  name: 'leaveAccount',
  stepUp: true,
  summary: 'Leave the account',
  description: 'Has the same effects as a removal by another member.',
  failures: ['last_owner', 'sso_exempt_owner'],
});

export const updateNotices = route('PUT /members/me/notices/', {
  ...own,
  name: 'updateNotices',
  summary: 'Choose which emails about the account to get',
  description:
    'Emails about money and security always go to owners and admins. Emails about webhooks and message domains that stopped working go to owners, admins and developers, unless a member chooses otherwise.',
  body: z.object({ service_notices: z.boolean({ error: 'Must be true or false.' }) }),
  reply: z.object({ service_notices: z.boolean() }),
});
