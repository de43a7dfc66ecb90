import { z } from 'zod';
import { email, id, invitationToken, queryFlag, time } from '../field.ts';
import { route } from '../route.ts';
import { role } from './members.ts';

/** An account has at most this many open invitations. */
export const OPEN_INVITATIONS_MAX = 20;
export const INVITATION_DAYS = 7;
/** The invitation emails that an account can send in a day. */
export const INVITATION_MAILS_A_DAY = 50;
/** The invitation emails that an address can get in a day from one account or one person. */
export const INVITATION_MAILS_TO_ADDRESS = 3;
export const INVITATION_MAILS_TO_ADDRESS_OF_ALL = 30;

const own = { tag: 'account', auth: 'bearer' } as const;

export const Invitation = z.object({
  id,
  email: z.string(),
  role,
  invited_by: z.string().nullable().meta({ description: 'The address of the member who made it' }),
  created_at: time,
  expires_at: time,
  link: z.string().optional().meta({
    description:
      'The link to copy. Only with `links=true`, in a sandbox that sends no email, and for callers who may also read its inbox',
  }),
});
export type Invitation = z.infer<typeof Invitation>;
/** A response never contains the token, unless the caller asks for links. */
const MadeInvitation = Invitation.omit({ link: true });

export const listInvitations = route('GET /invitations/', {
  ...own,
  name: 'listInvitations',
  summary: 'Open invitations, newest first',
  query: z.object({
    links: queryFlag.optional().meta({
      description: 'Whether to list the links, which only a sandbox can show',
    }),
  }),
  reply: z.object({ results: z.array(Invitation) }),
});

export const CreateInvitationBody = z.object({ email, role });
export const createInvitation = route('POST /invitations/', {
  ...own,
  name: 'createInvitation',
  stepUp: true,
  summary: `Invite a person by email, with a link that works for ${INVITATION_DAYS} days`,
  description: `A caller cannot give a role above their own. The link works once, and only for a person with this address. A person without a profile signs up with it. An account can have ${OPEN_INVITATIONS_MAX} open invitations and send ${INVITATION_MAILS_A_DAY} invitation emails a day. An address gets at most ${INVITATION_MAILS_TO_ADDRESS} a day from one account or one person, and ${INVITATION_MAILS_TO_ADDRESS_OF_ALL} from all accounts together.`,
  body: CreateInvitationBody,
  status: 201,
  reply: MadeInvitation,
  failures: [
    'account_suspended',
    'member_limit_reached',
    'invitation_limit_reached',
    'too_many_requests',
    'invited_too_often',
  ],
});

export const resendInvitation = route('POST /invitations/:id/resend/', {
  ...own,
  name: 'resendInvitation',
  stepUp: true,
  summary: 'Send an invitation again, with a new link; the earlier link stops working',
  fieldErrors: true,
  reply: MadeInvitation,
  failures: ['not_found', 'account_suspended', 'too_many_requests', 'invited_too_often'],
});

export const revokeInvitation = route('DELETE /invitations/:id/', {
  ...own,
  name: 'revokeInvitation',
  summary: 'Revoke an invitation',
  failures: ['not_found'],
});

const TokenBody = z.object({ token: invitationToken });

export const ShownInvitation = z.object({
  account_name: z.string().meta({
    description: 'Empty if it has none, or one that reads as an address or a phone number',
  }),
  email: z.string(),
  role,
  invited_by: z.string().nullable(),
  expires_at: time,
});
export type ShownInvitation = z.infer<typeof ShownInvitation>;

export const showInvitation = route('POST /invitations/show/', {
  tag: 'account',
  auth: 'none',
  name: 'showInvitation',
  summary: 'Show the invitation of a link; this does not use it up',
  body: TokenBody,
  reply: ShownInvitation,
  failures: ['not_found'],
});

export const acceptInvitation = route('POST /invitations/accept/', {
  tag: 'account',
  auth: 'person',
  name: 'acceptInvitation',
  ownProof: true,
  summary: 'Accept an invitation and join its account',
  description:
    'If the invitation was used or revoked, has expired, or is for another address, the response is 404, as for an unknown one.',
  body: TokenBody,
  reply: z.object({ account_id: id, role }),
  failures: ['not_found', 'account_suspended', 'account_limit_reached', 'member_limit_reached'],
});
