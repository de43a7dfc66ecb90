import type { Customer, TestService } from './service.ts';

const people = new WeakMap<TestService['server'], Map<string, string>>();

/** A bearer token of a customer. */
export function signedIn(service: TestService, customer: Pick<Customer, 'account_id'>): string {
  let known = people.get(service.server);
  if (!known) {
    known = new Map();
    people.set(service.server, known);
    const tokens = known;
    const real = service.server.authenticators.bearer;
    service.server.authenticators.bearer = async (request, reply) => {
      const account_id = tokens.get(request.headers.authorization ?? '');
      return account_id ? { account_id, session_id: account_id } : real(request, reply);
    };
  }
  known.set(`Bearer test-${customer.account_id}`, customer.account_id);
  return `test-${customer.account_id}`;
}
