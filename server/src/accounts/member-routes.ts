import {
  acceptInvitation,
  createInvitation,
  listInvitations,
  resendInvitation,
  revokeInvitation,
  showInvitation,
} from '@sixdigit/contract/accounts/invitations.ts';
import {
  changeRole,
  leaveAccount,
  listMembers,
  removeMember,
  updateNotices,
} from '@sixdigit/contract/accounts/members.ts';
import type { FastifyRequest } from 'fastify';
import { isOperator } from '../platform/http/client-address.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import type { App } from './account.ts';
import { acceptInvitationOf, showInvitationOf } from './invitations/acceptance.ts';
import {
  createInvitationOf,
  invitationsOf,
  resendInvitationOf,
  revokeInvitationOf,
} from './invitations/invitations.ts';
import { changeRoleOf, chooseNotices, membersOf } from './members/members.ts';
import { leaveAccountOf, removeMemberOf } from './members/removal.ts';

export function memberRoutes(server: Server, app: App): void {
  serve(server, listMembers, ({ caller }) => membersOf(app, caller));
  serve(server, changeRole, ({ caller, params, body }) =>
    changeRoleOf(app, caller, { ...params, role: body.role }),
  );
  serve(server, removeMember, async ({ caller, params }) => {
    await removeMemberOf(app, caller, params.person_id);
    return undefined;
  });
  serve(server, leaveAccount, async ({ caller }) => {
    await leaveAccountOf(app, caller);
    return undefined;
  });
  serve(server, updateNotices, ({ caller, body }) => chooseNotices(app, caller, body.service_notices));

  serve(server, listInvitations, ({ caller, query, request }) =>
    invitationsOf(app, caller, { withLinks: query.links === 'true' && mayReadInbox(app, request) }),
  );
  serve(server, createInvitation, ({ caller, body }) => createInvitationOf(app, caller, body));
  serve(server, resendInvitation, ({ caller, params }) => resendInvitationOf(app, caller, params.id));
  serve(server, revokeInvitation, async ({ caller, params }) => {
    await revokeInvitationOf(app, caller, params.id);
    return undefined;
  });
  serve(server, showInvitation, ({ body }) => showInvitationOf(app, body.token));
  serve(server, acceptInvitation, ({ caller, body }) => acceptInvitationOf(app, caller, body.token));
}

/** A link proves its address. So it is shown only to callers who could read the mail in the sandbox inbox too. */
const mayReadInbox = (app: Pick<App, 'carriers' | 'config'>, request: FastifyRequest): boolean =>
  app.carriers.isSimulated('email') && (app.config.publicInbox || isOperator(app, request));
