import { REQUIRED } from '@sixdigit/contract/field.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import { requireStepUp, type UserCaller } from '../platform/http/serve.ts';
import type { App } from './account.ts';
import type { Client } from './client.ts';
import { provePassword } from './password-check.ts';
import type { Account } from './queries.ts';
import { provesByPassword } from './step-up.ts';

interface Given {
  current_password: string | undefined;
  client: Client;
}

/** For a change that asks for the current password. Throws a field error if it is missing or wrong. */
export async function needPassword(
  app: App,
  caller: UserCaller,
  account: Account,
  { current_password, client }: Given,
): Promise<void> {
  if (!current_password) throw new FieldErrors({ current_password: [REQUIRED] });
  await provePassword(app, caller, account, {
    field: 'current_password',
    password: current_password,
    client,
  });
}

/**
 * As `needPassword`, and a proof of identity. Of an account without a second factor, the password is the proof. Any other account
 * proves by its factor first, so that a session without a proof cannot guess the password here.
 */
export async function proveByCurrentPassword(
  app: App,
  caller: UserCaller,
  account: Account,
  given: Given,
): Promise<void> {
  if (!(await provesByPassword(app, account))) requireStepUp(caller);
  await needPassword(app, caller, account, given);
}
