import { PHONE_MESSAGE } from '@sixdigit/contract/field.ts';
import { hasOptedOut } from '../messaging/opt-outs/opt-outs.ts';
import { normalisePhone, phoneProblem, possiblePhone } from '../platform/addresses/phone.ts';
import type { Sql } from '../platform/db/sql.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';

/** Converts an entered number to E.164. Throws a field error. */
export function enteredPhone({ config }: Needs<'config'>, text: string): string {
  return possiblePhone(text, config) ?? refuse(PHONE_MESSAGE);
}

/** Converts an entered number that can receive codes to E.164. Throws a field error. */
export async function reachablePhone(
  sql: Sql,
  app: Needs<'config' | 'vault'>,
  text: string,
): Promise<string> {
  const phone = normalisePhone(text, app.config);
  if (!phone) return refuse(PHONE_MESSAGE);
  const problem = phoneProblem(phone, app.config);
  if (problem) return refuse(problem);
  if (await hasOptedOut(sql, app, phone.e164))
    return refuse('This number answered STOP to our messages. Text START to our number, or choose another.');
  return phone.e164;
}

const refuse = (message: string): never => {
  throw new FieldErrors({ phone_number: [message] });
};
