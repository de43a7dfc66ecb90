import { z } from 'zod';
import { EXPORT_DESCRIPTION } from '../list.ts';
import { isDay } from '../local-time.ts';
import { supportRoute } from './operator.ts';

/** The kinds of accounting rows. */
export const ACCOUNTING_KINDS = [
  'purchase',
  'refund',
  'refund_failed',
  'dispute',
  'dispute_returned',
  'unmatched_payment',
  'unmatched_refund',
  'adjustment',
] as const;
export type AccountingKind = (typeof ACCOUNTING_KINDS)[number];

const DAY = 'Use a date, such as 2026-11-01.';
const day = z.string({ error: DAY }).trim().refine(isDay, DAY);

export const accountingPeriod = z
  .object({
    from: day.meta({ description: 'The first day, UTC' }),
    to: day.meta({ description: 'The last day, UTC, inclusive' }),
  })
  .refine(({ from, to }) => from <= to, { path: ['to'], message: 'To must not be before from.' });

export const exportAccounting = supportRoute('payments:read', 'GET /operator/payments/accounting/', {
  name: 'exportAccounting',
  summary: 'Purchases, refunds, disputes and adjustments of a period as CSV',
  description: `${EXPORT_DESCRIPTION.replace('newest first', 'oldest first')} The audit log records each export. \`gross\` is what the card provider received, or returned if negative, before its fees. \`credits\` is what the account received or lost. The rows of a refund or a dispute have the date on which Sixdigit recorded it. Payments that match no order are \`unmatched_payment\`, and their refunds \`unmatched_refund\`.`,
  query: accountingPeriod,
  stream: 'text/csv',
  failures: ['list_timeout', 'export_limit_reached'],
});
