import type { Queryable } from '../platform/db/sql.ts';
import { FieldErrors } from '../platform/http/failure.ts';
import { isInFuture } from './queries.ts';

/** Throws a field error unless the expiry is in the future. */
export async function requireFuture(sql: Queryable, time: string | null | undefined): Promise<void> {
  if (time && !(await isInFuture(sql, time)))
    throw new FieldErrors({ expires_at: ['The expiry must be in the future.'] });
}

export const isSameTime = (given: string, stored: string | null): boolean =>
  stored !== null && Date.parse(given) === Date.parse(stored);
