import { randomBytes } from 'node:crypto';
import type { Role } from '@sixdigit/contract/roles.ts';
import { person } from './person.ts';
import type { Customer, TestService } from './service.ts';

/** A session, and the header that names the account. */
export interface Member {
  bearer: string;
  headers: Record<string, string>;
}

type Account = Pick<Customer, 'account_id'>;

/** A person with an own account, as a caller who names another account. */
async function visitor(
  service: TestService,
  { account_id }: Account,
): Promise<Member & { person_id: string; email: string }> {
  const { access, email } = await person(service, 'Member');
  const { id } = await service.app.db.one<{ id: string }>('select id from people where email = $1', [email]);
  return { bearer: access, headers: { 'x-account': account_id }, person_id: id, email };
}

/** A person with a role in an account. */
export async function member(service: TestService, account: Account, role: Role): Promise<Member> {
  const { bearer, headers, person_id } = await visitor(service, account);
  await service.app.db.run(
    'insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, $3, clock_now())',
    [account.account_id, person_id, role],
  );
  return { bearer, headers };
}

/** A person who was an admin of the account and has been removed. */
export async function formerMember(service: TestService, account: Account): Promise<Member> {
  const { bearer, headers, person_id } = await visitor(service, account);
  const { db } = service.app;
  await db.run(
    `insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, 'admin', clock_now())`,
    [account.account_id, person_id],
  );
  await db.run('delete from memberships where account_id = $1 and person_id = $2', [
    account.account_id,
    person_id,
  ]);
  return { bearer, headers };
}

/** A person with an open invitation to the account, not yet accepted. */
export async function invitedOnly(service: TestService, account: Account): Promise<Member> {
  const { bearer, headers, email } = await visitor(service, account);
  await service.app.db.run(
    `insert into invitations (id, account_id, email, role, token_hash, invited_by, created_at, expires_at)
     values ($1, $2, $3, 'admin', $4, $2, clock_now(), clock_now() + interval '7 days')`,
    [service.app.random.uuid(), account.account_id, email, randomBytes(32)],
  );
  return { bearer, headers };
}
