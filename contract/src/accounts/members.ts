import { z } from 'zod';
import { id, optionalTime, time } from '../field.ts';
import { ROLES } from '../roles.ts';
import { route } from '../route.ts';

/** An account has at most this many members. */
export const MEMBERS_MAX = 500;

const own = { tag: 'account', auth: 'bearer' } as const;
const role = z.enum(ROLES, { error: `Role must be one of: ${ROLES.join(', ')}.` });

export const Member = z.object({
  person_id: id,
  email: z.string(),
  name: z.string(),
  role,
  joined_at: time,
  last_seen_at: optionalTime,
});
export type Member = z.infer<typeof Member>;

export const listMembers = route('GET /members/', {
  ...own,
  name: 'listMembers',
  summary: 'Members of the account',
  reply: z.object({ results: z.array(Member) }),
});

export const changeRole = route('PUT /members/:person_id/', {
  ...own,
  name: 'changeRole',
  stepUp: true,
  summary: "Change a member's role",
  body: z.object({ role }),
  reply: Member,
  failures: ['not_found'],
});

export const removeMember = route('DELETE /members/:person_id/', {
  ...own,
  name: 'removeMember',
  stepUp: true,
  summary: 'Remove a member; the API keys that the member made stay',
  failures: ['not_found'],
});

export const leaveAccount = route('DELETE /members/me/', {
  ...own,
  name: 'leaveAccount',
  summary: 'Leave the account',
});
