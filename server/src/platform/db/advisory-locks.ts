import type { Tx } from './sql.ts';

/**
 * Every advisory lock of the service. Database functions write the same numbers with the name as a comment, and a test compares
 * them: `pg_advisory_xact_lock(7365740 /* webhookClaims *\/)`.
 */

/** Locks of the whole service: each number is one lock. */
export const SERVICE_LOCKS = {
  /** migrations and database functions */
  schema: 7261001,
  /** the sweep of expired verifications */
  expirySweep: 7365706,
  retention: 7365730,
  dailyCounts: 7365731,
  searchIndexes: 7365732,
  /** the counts for Insights */
  insights: 7365733,
  /** claims of webhook messages, which count the messages in flight */
  webhookClaims: 7365740,
  /** the names of accounts in addresses */
  slugs: 7365741,
  /** the job that sums the counts of all processes */
  protectionSums: 7365750,
} as const;

/**
 * Classes of locks on individual things. Each number is the seed of `hashtextextended(key, seed)`. A transaction takes locks in
 * the order that ARCHITECTURE.md gives, and within a class by key.
 */
export const LOCK_CLASSES = {
  /** the number of an account's webhook endpoints; key: 'webhook endpoints ' and the account's id */
  webhookEndpoints: 0,
  /** account id and recipient */
  recipientOfAccount: 6,
  /** the verification's id */
  verification: 7,
  /** account id and Idempotency-Key */
  idempotencyKey: 8,
  /** a recipient over all accounts; key: its keyed hash */
  recipient: 9,
  /** of `compat/twilio`; key: what is locked, and the ids that it belongs to */
  twilio: 10,
  /** the names and the number of an account's templates; key: the account's id */
  templates: 11,
  /** the number of an account's suppressed addresses; key: the account's id */
  suppressions: 12,
  /** the number of recipients that an account has imported; key: the account's id */
  knownRecipients: 13,
} as const;

// These statements have no parameters, because a statement with parameters holds its snapshot until the next statement. If the
// holder of a lock builds an index concurrently on another connection, the build would wait for this snapshot forever.

/** Waits for a lock of the whole service, which the transaction holds until its end. */
export const lock = (tx: Tx, name: keyof typeof SERVICE_LOCKS): Promise<number> =>
  tx.run(`select pg_advisory_xact_lock(${SERVICE_LOCKS[name]})`);

/** Takes a lock of the whole service unless another transaction holds it. */
export const tryLock = async (tx: Tx, name: keyof typeof SERVICE_LOCKS): Promise<boolean> =>
  (await tx.one<{ got: boolean }>(`select pg_try_advisory_xact_lock(${SERVICE_LOCKS[name]}) as got`)).got;

/** Like `lockKey`, for several things of one class, in the order of their keys. */
export const lockKeys = (tx: Tx, name: keyof typeof LOCK_CLASSES, keys: readonly string[]): Promise<number> =>
  tx.run(
    `select pg_advisory_xact_lock(k.key) from (
       select hashtextextended(k, $2) as key from unnest($1::text[]) k order by 1) k`,
    [keys, LOCK_CLASSES[name]],
  );

/** Waits for the lock on one thing, which the transaction holds until its end. */
export const lockKey = (tx: Tx, name: keyof typeof LOCK_CLASSES, key: string): Promise<number> =>
  tx.run('select pg_advisory_xact_lock(hashtextextended($1, $2))', [key, LOCK_CLASSES[name]]);
