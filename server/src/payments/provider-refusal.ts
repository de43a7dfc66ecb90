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
  await noteRefusal(app.db, error.because).catch(() => undefined);
  return new Failure('payment_provider_refused', {}, { cause: error });
}

const REFUSAL = 'payment_provider_refusal';

const noteRefusal = (sql: Sql, because: string): Promise<number> =>
  sql.run(
    `insert into service_facts (name, value, changed_at) values ($1, $2, clock_now())
     on conflict (name) do update set value = excluded.value, changed_at = excluded.changed_at`,
    [REFUSAL, because.slice(0, 500)],
  );

/** The newest refusal of the last seven days without a later successful purchase. */
export const latestRefusal = (sql: Sql): Promise<{ because: string; at: string } | undefined> =>
  sql.maybe(
    `select f.value as because, f.changed_at as at from service_facts f
     where f.name = $1 and f.changed_at > clock_now() - interval '7 days'
       and not exists (select from orders o where o.status = 'succeeded' and o.created_at > f.changed_at)`,
    [REFUSAL],
  );
