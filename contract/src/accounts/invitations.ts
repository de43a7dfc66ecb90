import { z } from 'zod';
import { email, id, time } from '../field.ts';
import { ROLES } from '../roles.ts';
import { route } from '../route.ts';

/** An account has at most this many open invitations. */
export const OPEN_INVITATIONS_MAX = 20;
export const INVITATION_DAYS = 7;

const own = { tag: 'account', auth: 'bearer' } as const;
const role = z.enum(ROLES, { error: `Role must be one of: ${ROLES.join(', ')}.` });

export const Invitation = z.object({
  id,
  email: z.string(),
  role,
  invited_by: z.string().nullable().optional(),
  created_at: time,
  expires_at: time,
  link: z.string().optional().meta({ description: 'In a sandbox without mail' }),
});
export type Invitation = z.infer<typeof Invitation>;

export const listInvitations = route('GET /invitations/', {
  ...own,
  name: 'listInvitations',
  summary: 'Open invitations',
  reply: z.object({ results: z.array(Invitation) }),
});

export const CreateInvitationBody = z.object({ email, role });
export const createInvitation = route('POST /invitations/', {
  ...own,
  name: 'createInvitation',
  stepUp: { when: 'the role is owner or admin' },
  summary: 'Invite a person',
  body: CreateInvitationBody,
  status: 201,
  reply: Invitation,
});

export const resendInvitation = route('POST /invitations/:id/resend/', {
  ...own,
  name: 'resendInvitation',
  summary: 'Send an invitation again; the link before stops working',
  reply: Invitation,
  failures: ['not_found'],
});

export const revokeInvitation = route('DELETE /invitations/:id/', {
  ...own,
  name: 'revokeInvitation',
  summary: 'Revoke an invitation',
  failures: ['not_found'],
});

const token = z.string().min(1).max(200);

export const ShownInvitation = z.object({
  account_name: z.string(),
  email: z.string(),
  role,
  invited_by: z.string().nullable().optional(),
  expires_at: time,
});
export type ShownInvitation = z.infer<typeof ShownInvitation>;

export const showInvitation = route('POST /invitations/show/', {
  tag: 'account',
  auth: 'none',
  name: 'showInvitation',
  summary: 'The invitation of a link',
  body: z.object({ token }),
  reply: ShownInvitation,
  failures: ['not_found'],
});

export const acceptInvitation = route('POST /invitations/accept/', {
  tag: 'account',
  auth: 'bearer',
  name: 'acceptInvitation',
  summary: 'Accept an invitation',
  body: z.object({ token }),
  reply: z.object({ account_id: id, role }),
  failures: ['not_found'],
});
