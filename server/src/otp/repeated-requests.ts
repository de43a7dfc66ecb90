import { type Idempotency, isSameRequest } from './idempotency/idempotency.ts';

/**
 * The first request with an `Idempotency-Key`: its stored response, or its outcome if the same batch decided it. While the
 * first request is in flight, a repeated one waits for its locks.
 */
export type FirstRequest<Outcome> =
  | { request: string; status: number; body: unknown }
  | { request: string; outcome: Outcome };

/** The outcome of a request that repeats an `Idempotency-Key`. */
export type RepeatedRequest<Outcome> =
  | { kind: 'replayed'; status: number; body: unknown }
  | { kind: 'repeated'; outcome: Outcome }
  | { kind: 'idempotency_key_reused' };

interface Keyed {
  account_id: string;
  idempotency: Idempotency | null;
}

/** The first requests that a batch has found or decided, by account and key. */
export type FirstRequests<Outcome> = Map<string, FirstRequest<Outcome>>;

export interface StoredResponseRow {
  account_id: string;
  key: string;
  request: string;
  status: number;
  response: unknown;
}

const mapKey = (account_id: string, key: string): string => `${account_id} ${key}`;

export const isKeyed = (items: readonly Keyed[]): boolean =>
  items.some(({ idempotency }) => idempotency !== null);

export const readFirstRequests = <Outcome>(
  rows: readonly StoredResponseRow[] | null,
): FirstRequests<Outcome> =>
  new Map(
    (rows ?? []).map((row) => [
      mapKey(row.account_id, row.key),
      { request: row.request, status: row.status, body: row.response },
    ]),
  );

/** The outcome of an item that repeats an earlier request; undefined if it is the first one or has no key. */
export function repeatOf<Outcome>(
  first: FirstRequests<Outcome>,
  { account_id, idempotency }: Keyed,
): RepeatedRequest<Outcome> | undefined {
  if (!idempotency) return undefined;
  const earlier = first.get(mapKey(account_id, idempotency.key));
  if (!earlier) return undefined;
  if (!isSameRequest(idempotency, earlier.request)) return { kind: 'idempotency_key_reused' };
  if ('outcome' in earlier) return { kind: 'repeated', outcome: earlier.outcome };
  return { kind: 'replayed', status: earlier.status, body: earlier.body };
}

/** Records an outcome for later items of the batch with the same key. */
export function noteFirst<Outcome>(
  first: FirstRequests<Outcome>,
  { account_id, idempotency }: Keyed,
  outcome: Outcome,
): void {
  if (idempotency) first.set(mapKey(account_id, idempotency.key), { request: idempotency.request, outcome });
}
