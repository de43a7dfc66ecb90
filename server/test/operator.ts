import type { OperatorRole } from '@sixdigit/contract/operator/operator.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import type { Answer, CallInput } from './call.ts';
import type { Customer, TestService } from './service.ts';
import { signedIn } from './signed-in.ts';

/** Olivia runs the deployment. */
export interface TestOperator extends Customer {
  bearer: string;
  call<R extends Route>(route: R, input?: CallInput<R>): Promise<Answer<R>>;
}

export async function testOperator(
  service: TestService,
  { role = 'admin', name = 'Olivia' }: { role?: OperatorRole; name?: string } = {},
): Promise<TestOperator> {
  const customer = await service.customer(name);
  await service.app.db.run(
    `insert into operators (account_id, role, created_at) values ($1, $2, clock_now())
     on conflict (account_id) do update set role = excluded.role`,
    [customer.account_id, role],
  );
  const bearer = await signedIn(service, customer);
  return {
    ...customer,
    bearer,
    // A fresh session, because tests advance the clock.
    call: async (route, input) =>
      service.call(route, { ...input, bearer: await signedIn(service, customer) } as never),
  };
}

export interface Audited {
  action: string;
  reason: string;
  before: unknown;
  after: unknown;
}

/** Every entry of the operator audit log, oldest first. */
export const auditOf = ({ app }: TestService): Promise<Audited[]> =>
  app.db.rows('select action, reason, before, after from operator_actions order by id');
