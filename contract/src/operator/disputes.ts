import { z } from 'zod';
import { cents, id, time } from '../field.ts';
import { listOf, listQuery } from '../list.ts';
import { supportRoute } from './operator.ts';

/** In the order in which a dispute can pass through them; the last four end it. */
export const DISPUTE_STATUSES = [
  'warning_needs_response',
  'warning_under_review',
  'needs_response',
  'under_review',
  'warning_closed',
  'prevented',
  'lost',
  'won',
] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];
export const CLOSED_DISPUTES: readonly DisputeStatus[] = ['warning_closed', 'prevented', 'lost', 'won'];

export const OperatorDispute = z.object({
  id: z.string().meta({ description: 'The id at the card provider' }),
  order_id: id,
  account_id: id,
  email: z.string().nullable(),
  payment_intent_id: z.string().nullable(),
  provider: z.string(),
  cents,
  currency: z.string(),
  reason: z.string().meta({ description: 'The reason given by the card provider, such as fraudulent' }),
  status: z.enum(DISPUTE_STATUSES).meta({
    description: 'warning_… is an inquiry from the bank, which moves no money',
  }),
  evidence_due_at: time.nullable(),
  has_evidence: z.boolean(),
  funds: z.enum(['none', 'taken', 'returned']).meta({
    description: 'Whether the card provider has withdrawn the money, and the account lost the credits',
  }),
  opened_at: time,
  closed_at: time.nullable(),
});
export type OperatorDispute = z.infer<typeof OperatorDispute>;

export const DISPUTE_STATES = ['all', 'open', 'closed'] as const;
export const listDisputes = supportRoute('payments:read', 'GET /operator/payments/disputes/', {
  name: 'listDisputes',
  summary: 'Disputes of all accounts',
  description:
    'Open disputes first, most urgent at the top. The search matches the id of a dispute, an order, an account or a payment. Submit evidence in the dashboard of the card provider.',
  query: listQuery(['opened_at'], '-opened_at')
    .omit({ ordering: true })
    .extend({
      state: z
        .enum(DISPUTE_STATES, { error: `State must be one of: ${DISPUTE_STATES.join(', ')}.` })
        .default('all'),
    }),
  reply: listOf(OperatorDispute),
});
