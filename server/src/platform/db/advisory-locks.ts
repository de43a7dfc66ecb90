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
  /** claims of webhook messages, which count what is in flight */
  webhookClaims: 7365740,
} as const;

/**
 * Classes of locks on one thing each: the seeds of `hashtextextended(key, seed)`. A transaction takes them in the order of
 * ARCHITECTURE.md, and within a class by key.
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
} as const;
