import type { Role } from '@sixdigit/contract/roles.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { expect } from 'vitest';
import type { Answer, CallInput } from './call.ts';
import type { Customer, TestService } from './service.ts';
import { signedIn } from './signed-in.ts';

/** A member of an account who calls with its header. The person also owns the account of their sign-up. */
export interface Member {
  person_id: string;
  email: string;
  bearer: string;
  headers: Record<string, string>;
  call<R extends Route>(route: R, input?: CallInput<R>): Promise<Answer<R>>;
  /** Calls a second process. */
  callOn<R extends Route>(
    process: Pick<TestService, 'call'>,
    route: R,
    input?: CallInput<R>,
  ): Promise<Answer<R>>;
}

/** Signs a customer in for one of their accounts. The session has a proof of identity. */
export async function signedInTo(
  service: TestService,
  { account_id }: Pick<Customer, 'account_id'>,
  person: Pick<Customer, 'account_id' | 'email'>,
): Promise<Member> {
  const bearer = await signedIn(service, person);
  const headers = { 'x-account': account_id };
  return {
    person_id: person.account_id,
    email: person.email,
    bearer,
    headers,
    call: (route, input) => service.call(route, { bearer, headers, ...input } as never),
    callOn: (process, route, input) => process.call(route, { bearer, headers, ...input } as never),
  };
}

/** A new person who is a member of an account. */
export async function memberOf(
  service: TestService,
  account: Pick<Customer, 'account_id'>,
  name: string,
  role: Role,
): Promise<Member> {
  const person = await service.customer(name);
  await service.app.db.run(
    'insert into memberships (account_id, person_id, role, joined_at) values ($1, $2, $3, clock_now())',
    [account.account_id, person.account_id, role],
  );
  return signedInTo(service, account, person);
}

/** Adds this many members to an account. */
export const crowd = (
  service: Pick<TestService, 'app'>,
  { account_id }: Pick<Customer, 'account_id'>,
  size: number,
): Promise<number> =>
  service.app.db.run(
    `with p as (
       insert into people (id, email, created_at)
       select new_uuid(), n || '@' || $1 || '.example.com', clock_now() from generate_series(1, $2::integer) n returning id)
     insert into memberships (account_id, person_id, role, joined_at) select $1::uuid, id, 'viewer', clock_now() from p`,
    [account_id, size],
  );

/** Makes accounts that no other test of the file uses, because mails are counted by account. */
export function teamStage(service: TestService): () => Promise<{ customer: Customer; owner: Member }> {
  let accounts = 0;
  return async () => {
    accounts += 1;
    const customer = await service.customer(`Founder${accounts}`);
    return { customer, owner: await signedInTo(service, customer, customer) };
  };
}

let unnamed = 0;

/** Any new person with a role in an account. */
export const member = (
  service: TestService,
  account: Pick<Customer, 'account_id'>,
  role: Role,
): Promise<Member> => {
  unnamed += 1;
  return memberOf(service, account, `${role}.${unnamed}`, role);
};

/** Withdraws the proof of identity of every session. */
export const withoutProof = ({ app }: TestService): Promise<number> =>
  app.db.run('update sessions set proven_at = null');

export const rolesIn = async ({ app }: TestService, account_id: string): Promise<Record<string, Role>> =>
  Object.fromEntries(
    (
      await app.db.rows<{ email: string; role: Role }>(
        `select split_part(p.email, '@', 1) as email, role from memberships join people p on p.id = person_id
         where account_id = $1`,
        [account_id],
      )
    ).map(({ email, role }) => [email, role]),
  );

/** The token of the newest invitation sent to an address. */
export async function invitationTokenFor(service: TestService, email: string): Promise<string> {
  await service.deliver();
  for (const { text } of await service.inbox(email)) {
    const [, token] = /\/invitations#([\w-]{43})\s/.exec(text) ?? [];
    if (token) return token;
  }
  throw new Error(`No invitation was sent to ${email}`);
}

export const subjectsTo = async (service: TestService, email: string): Promise<string[]> => {
  await service.deliver();
  return (await service.inbox(email)).map(({ subject }) => subject ?? '');
};

/** Fails unless the response is a refusal for the role. */
export function expectTooLow({ status, body }: { status: number; body: unknown }, needs: Role): void {
  expect({ status, body }).toMatchObject({ status: 400, body: { reason: 'role_too_low', needs } });
}
