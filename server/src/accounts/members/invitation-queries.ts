import { INVITATION_DAYS, type Invitation } from '@sixdigit/contract/accounts/invitations.ts';
import { isAtLeast, ROLES, type Role } from '@sixdigit/contract/roles.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';

export interface InvitationRow extends Omit<Invitation, 'link'> {
  account_id: string;
  token_hash: Buffer;
  links: number;
}

const IS_OPEN = 'expires_at > clock_now()';
const UNTIL = `clock_now() + interval '${INVITATION_DAYS} days'`;
const SHOWN = `id, account_id, email, role, (select p.email from people p where p.id = invited_by) as invited_by, created_at,
  expires_at, token_hash, links`;

export const expiredInvitations = { table: 'invitations', where: 'expires_at <= clock_now()' };

export const selectInvitations = (sql: Queryable, account_id: string): Promise<InvitationRow[]> =>
  sql.rows<InvitationRow>(
    `select ${SHOWN} from invitations where account_id = $1 and ${IS_OPEN} order by created_at desc, id desc`,
    [account_id],
  );

export const findInvitation = (
  sql: Queryable,
  account_id: string,
  id: string,
): Promise<InvitationRow | undefined> =>
  sql.maybe<InvitationRow>(
    `select ${SHOWN} from invitations where account_id = $1 and id = $2 and ${IS_OPEN}`,
    [account_id, id],
  );

export const findInvitationByToken = (
  sql: Queryable,
  token_hash: Buffer,
): Promise<InvitationRow | undefined> =>
  sql.maybe<InvitationRow>(`select ${SHOWN} from invitations where token_hash = $1 and ${IS_OPEN}`, [
    token_hash,
  ]);

export const countOpenInvitations = async (sql: Queryable, account_id: string): Promise<number> =>
  (
    await sql.one<{ n: number }>(
      `select count(*) as n from invitations where account_id = $1 and ${IS_OPEN}`,
      [account_id],
    )
  ).n;

interface NewInvitation {
  id: string;
  account_id: string;
  email: string;
  role: Role;
  token_hash: Buffer;
  invited_by: string;
}

/** Replaces an expired invitation of the address. Undefined if it has an open one. */
export const insertInvitation = (tx: Tx, one: NewInvitation): Promise<InvitationRow | undefined> =>
  tx.maybe<InvitationRow>(
    `insert into invitations (id, account_id, email, role, token_hash, invited_by, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, clock_now(), ${UNTIL})
     on conflict (account_id, email) do update set id = excluded.id, role = excluded.role, token_hash = excluded.token_hash,
       links = 1, invited_by = excluded.invited_by, created_at = excluded.created_at, expires_at = excluded.expires_at
     where not (invitations.${IS_OPEN})
     returning ${SHOWN}`,
    [one.id, one.account_id, one.email, one.role, one.token_hash, one.invited_by],
  );

/** Replaces the link, unless the invitation is no longer open. */
export const renewInvitation = (tx: Tx, id: string, token_hash: Buffer): Promise<InvitationRow | undefined> =>
  tx.maybe<InvitationRow>(
    `update invitations set token_hash = $2, links = links + 1, expires_at = ${UNTIL}
     where id = $1 and ${IS_OPEN} returning ${SHOWN}`,
    [id, token_hash],
  );

export const deleteInvitation = (tx: Tx, id: string): Promise<number> =>
  tx.run(`delete from invitations where id = $1 and ${IS_OPEN}`, [id]);

/** Uses the invitation up. Undefined for all callers but one, and for a person with another address. */
export const consumeInvitation = (
  tx: Tx,
  { token_hash, email }: { token_hash: Buffer; email: string },
): Promise<{ role: Role; invited_by: string } | undefined> =>
  tx.maybe(
    `delete from invitations where token_hash = $1 and email = $2 and ${IS_OPEN} returning role, invited_by`,
    [token_hash, email],
  );

interface Inviter {
  account_id: string;
  person_id: string;
}

export const revokeInvitationsOf = (tx: Tx, account_id: string, person_id: string): Promise<number> =>
  tx.run('delete from invitations where account_id = $1 and invited_by = $2', [account_id, person_id]);

export const revokeInvitationsTo = (tx: Tx, account_id: string, email: string): Promise<number> =>
  tx.run('delete from invitations where account_id = $1 and email = $2', [account_id, email]);

/** Revokes the open invitations of a member that they could no longer make with their new role. */
export const revokeInvitationsAbove = (
  tx: Tx,
  { account_id, person_id, role }: Inviter & { role: Role },
): Promise<number> =>
  tx.run('delete from invitations where account_id = $1 and invited_by = $2 and role = any ($3)', [
    account_id,
    person_id,
    isAtLeast(role, 'admin') ? ROLES.filter((one) => !isAtLeast(role, one)) : ROLES,
  ]);

export const deleteInvitationsOf = (tx: Tx, account_id: string): Promise<number> =>
  tx.run('delete from invitations where account_id = $1', [account_id]);
