/**
 * The addresses to which an account sends no mail. Only events about its own messages, with our reference, suppress an address for
 * it. Two other accounts' hard bounces within 30 days that say that there is no such mailbox suppress the address for every account,
 * because one account alone could make up its recipients, but not a mail server's refusal in the name of two. `lock_sends` reads both.
 */
import { SOFT_BOUNCES, type SuppressionReason } from '@sixdigit/contract/suppressions.ts';
import { deleteRowsOf, ERASED, type RecipientForms } from '../../platform/db/erasure.ts';
import { hashesOf } from '../../platform/db/removed-recipients.ts';
import type { RetentionRules } from '../../platform/db/retention.ts';
import type { Db, Queryable, Tx } from '../../platform/db/sql.ts';
import type { Needs } from '../../platform/platform.ts';
import { maskedRecipient } from '../../platform/security/masks.ts';
import { hex } from '../../platform/security/vault.ts';
import { insertSuppression, type SuppressionRow, selectSuppressionOf } from './queries.ts';

/** Hashes under every known server key, so that an entry survives key rotation. */
export const suppressionPrints = ({ vault }: Needs<'vault'>, recipient: string): Buffer[] =>
  hashesOf(vault, recipient);

export const suppressionHexes = (app: Needs<'vault'>, recipient: string): string[] =>
  suppressionPrints(app, recipient).map(hex);

export interface Event {
  account_id: string;
  recipient: string;
  reason: SuppressionReason;
  /** The source; null if the account adds the entry. */
  carrier: string | null;
  otp_id: string | null;
  detail: string | null;
  /** A mail to the bounce domain reported it; default false. */
  by_mail?: boolean | undefined;
}

/**
 * Enters an event. A soft bounce only counts until there are three in a row, and each further one then suppresses the address for a
 * day. Returns the entry, which is older than the event if the address was already suppressed for good.
 */
export function suppress(tx: Tx, app: Needs<'random' | 'vault'>, event: Event): Promise<SuppressionRow> {
  const { recipient } = event;
  const [fingerprint = Buffer.alloc(0), ...older] = suppressionPrints(app, recipient);
  return insertSuppression(tx, {
    ...event,
    id: app.random.uuid(),
    recipient: maskedRecipient(recipient),
    fingerprint,
    older,
    soft_bounces: SOFT_BOUNCES,
    by_mail: event.by_mail ?? false,
  });
}

/** A delivery ends a row of soft bounces. */
export const endSoftBounces = (
  tx: Tx,
  app: Needs<'vault'>,
  { account_id, recipient }: Pick<Event, 'account_id' | 'recipient'>,
): Promise<number> =>
  tx.run(
    `delete from suppressions where account_id = $1 and fingerprint = any ($2) and reason = 'soft_bounces'`,
    [account_id, suppressionPrints(app, recipient)],
  );

/** The entry that keeps the account from sending to the address; undefined without one. */
export const suppressionOf = (
  sql: Queryable,
  app: Needs<'vault'>,
  { account_id, recipient }: Pick<Event, 'account_id' | 'recipient'>,
): Promise<SuppressionRow | undefined> =>
  selectSuppressionOf(sql, account_id, suppressionPrints(app, recipient));

// ── upkeep ──

/** The hash remains, as it does of an opt-out: otherwise the erased recipient would get mail again. */
export const eraseRecipientFromSuppressions = (
  db: Db,
  { hashes }: Pick<RecipientForms, 'hashes'>,
): Promise<number> =>
  db.run(
    `update suppressions set recipient = $2, detail = null
     where fingerprint = any ($1) and recipient <> $2`,
    [hashes, ERASED],
  );

export const deleteSuppressionsOf = (
  db: Db,
  { account_id, most }: { account_id: string; most: number },
): Promise<number> => deleteRowsOf(db, { table: 'suppressions', key: 'id' }, { account_id, most });

export const suppressionRetention: RetentionRules = {
  // Counts of soft bounces end with them.
  rows: [
    {
      table: 'suppressions',
      where: `reason = 'soft_bounces' and until < clock_now() - interval '30 days'`,
    },
  ],
};
