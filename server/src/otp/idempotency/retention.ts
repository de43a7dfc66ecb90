import type { RetentionRules } from '../../platform/db/retention.ts';
import type { Tx } from '../../platform/db/sql.ts';

const BATCH_SIZE = 2_000;

/** A repeated key gets its stored response for 24 hours. */
export const idempotencyRetention: RetentionRules = {
  rows: [{ table: 'idempotency_keys', run: deleteExpiredKeys, batch: BATCH_SIZE }],
};

function deleteExpiredKeys(tx: Tx): Promise<number> {
  return tx.run(
    `delete from idempotency_keys where ctid = any (array(
       select ctid from idempotency_keys where created_at < clock_now() - interval '24 hours'
       limit $1 for update skip locked))`,
    [BATCH_SIZE],
  );
}
