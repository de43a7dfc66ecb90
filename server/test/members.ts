import type { Role } from '@sixdigit/contract/roles.ts';
import { person } from './person.ts';
import type { Customer, TestService } from './service.ts';
import { signedIn } from './signed-in.ts';

const roles = new Map<string, Role>();
export async function member(
  service: TestService,
  account: Pick<Customer, 'account_id'>,
  role: Role,
): Promise<{ bearer: string; headers: Record<string, string> }> {
  const bearer = await signedIn(service, account);
  roles.set(`Bearer ${bearer}`, role);
  const { server } = service;
  const before = server.authenticators.bearer;
  server.authenticators.bearer = async (request, reply) => {
    const caller = await before(request, reply);
    return { ...caller, role: roles.get(request.headers.authorization ?? '') ?? caller.role };
  };
  return { bearer, headers: { 'x-account': account.account_id } };
}
void person;
