import type { Role } from '@sixdigit/contract/roles.ts';
import type { Customer, TestService } from './service.ts';
import { signedIn } from './signed-in.ts';

/** A session, and the header that names the account. */
export interface Member {
  bearer: string;
  headers: Record<string, string>;
}

const roles = new WeakMap<object, Map<string, Role>>();

/** A session with a role in an account. */
export async function member(
  service: TestService,
  account: Pick<Customer, 'account_id'>,
  role: Role,
): Promise<Member> {
  const bearer = await signedIn(service, account);
  rolesOn(service).set(`Bearer ${bearer}`, role);
  return { bearer, headers: { 'x-account': account.account_id } };
}

/** The roles of a service's sessions. Every other session is an owner's. */
function rolesOn({ server }: TestService): Map<string, Role> {
  const known = roles.get(server.authenticators);
  if (known) return known;
  const made = new Map<string, Role>();
  roles.set(server.authenticators, made);
  const { bearer } = server.authenticators;
  server.authenticators.bearer = async (request, reply) => {
    const caller = await bearer(request, reply);
    return { ...caller, role: made.get(request.headers.authorization ?? '') ?? caller.role };
  };
  return made;
}
