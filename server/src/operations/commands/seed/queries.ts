import type { Sql, Tx } from '../../../platform/db/sql.ts';

type Table =
  | 'accounts'
  | 'api_keys'
  | 'verifications'
  | 'status_history'
  | 'request_logs'
  | 'ledger'
  | 'orders'
  | 'payment_customers'
  | 'protection_blocks'
  | 'sandbox_cards'
  | 'webhook_endpoints'
  | 'webhook_messages'
  | 'webhook_attempts';

/** Inserts rows by column name. Missing columns get the table's default. */
export const insertRows = async (tx: Tx, table: Table, rows: readonly object[]): Promise<void> => {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first).join(', ');
  await tx.run(
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`,
    [JSON.stringify(rows)],
  );
};

export const accountExists = async (sql: Sql, email: string): Promise<boolean> =>
  (
    await sql.one<{ found: boolean }>('select exists (select from accounts where email = $1) as found', [
      email,
    ])
  ).found;

/** Creates the monthly partitions that the seed writes into. */
export const ensurePastMonths = (tx: Tx): Promise<number> =>
  tx.run(`select ensure_partitions((clock_now() - interval '2 months')::date, 3)`);

/** Sets the balance to the sum of the ledger. */
export const openBalanceByLedger = (tx: Tx, account_id: string): Promise<number> =>
  tx.run(
    `insert into balances (account_id, credits)
     select $1, coalesce(sum(credits), 0) from ledger where account_id = $1`,
    [account_id],
  );

export const numberReceipts = (tx: Tx, account_id: string): Promise<number> =>
  tx.run(
    `update orders set receipt_number = nextval('receipt_numbers') where account_id = $1 and status = 'succeeded'`,
    [account_id],
  );
