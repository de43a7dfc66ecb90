import { clientOf } from '../src/accounts/sessions/client.ts';
import { startSession } from '../src/accounts/sessions/sessions.ts';
import type { Customer, TestService } from './service.ts';

/** A bearer token of a customer, valid for ten minutes of the service's clock. */
export async function signedIn(
  { app }: TestService,
  { account_id }: Pick<Customer, 'account_id'>,
): Promise<string> {
  const client = clientOf({ ip: '127.0.0.1', headers: {} });
  return (await app.db.transaction((tx) => startSession(tx, app, account_id, client))).access;
}
