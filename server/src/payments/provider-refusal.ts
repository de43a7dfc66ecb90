import { findFact, setFact } from '../platform/db/facts.ts';
import type { Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';
import { ProviderRefused, ProviderUnavailable } from './card-provider.ts';

/** Returns the provider's response. Throws `payment_provider_unavailable` or `payment_provider_refused`. */
export async function answered<T>(app: Needs<'log' | 'db'>, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw await refusalOf(app, error);
  }
}

/** The log and doctor show the provider's message to the operator. The customer sees only that the service is at fault. */
export async function refusalOf(app: Needs<'log' | 'db'>, error: unknown): Promise<unknown> {
  if (error instanceof ProviderUnavailable) {
    app.log.warn({ err: error }, 'the card provider did not respond');
    return new Failure('payment_provider_unavailable', {}, { cause: error });
  }
  if (!(error instanceof ProviderRefused)) return error;
  app.log.error({ err: error, because: error.because }, 'the card provider refused a request');
  await setFact(app.db, REFUSAL, error.because.slice(0, 500)).catch(() => undefined);
  return new Failure('payment_provider_refused', {}, { cause: error });
}

const REFUSAL = 'payment_provider_refusal';

/** The newest refusal of the last seven days without a later successful purchase. */
export async function latestRefusal(sql: Sql): Promise<{ because: string; at: string } | undefined> {
  const refusal = await findFact(sql, REFUSAL);
  if (!refusal) return undefined;
  const { matters } = await sql.one<{ matters: boolean }>(
    `select $1::timestamptz > clock_now() - interval '7 days'
       and not exists (select from orders where status = 'succeeded' and created_at > $1) as matters`,
    [refusal.changed_at],
  );
  return matters ? { because: refusal.value, at: refusal.changed_at } : undefined;
}
