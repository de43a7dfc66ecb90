import { startSession } from '../src/accounts/sessions.ts';
import type { Customer, TestService } from './service.ts';

/** A bearer token of a customer, good for ten minutes of the service's clock. */
export async function signedIn(
  { app }: TestService,
  { account_id }: Pick<Customer, 'account_id'>,
): Promise<string> {
  const client = { ip_address: '127.0.0.1', user_agent: null, network: '127.0.0.1' };
  return (await startSession(app.db, app, account_id, client)).access;
}
