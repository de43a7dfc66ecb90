import { z } from 'zod';
import { email, id, oneLine, optionalTime, requiredText, time } from '../field.ts';
import { listOf, listQuery } from '../list.ts';
import { OperatorAccountDetail } from './accounts.ts';
import { adminRoute, reason, supportRoute } from './operator.ts';

export const eraseAccount = adminRoute('erasures:write', 'POST /operator/accounts/:id/erase/', {
  name: 'eraseAccount',
  summary: 'Erase an account, with the same effect as “Delete account”',
  description:
    'Ends its sessions, keys and webhooks immediately, and removes its personal data. A job removes the data of its sends. The ledger is kept without the name. The owner gets an email. If the account belongs to an operator, remove the operator role first. This cannot be undone.',
  body: z.object({
    email: email.meta({ description: 'The email address of the account, as a confirmation' }),
    reason,
  }),
  reply: OperatorAccountDetail,
});

// ── recipients ──

export const RecipientErasure = z.object({
  id,
  created_at: time,
  requested_by: z
    .string()
    .nullable()
    .meta({ description: 'null if the account of the operator was deleted' }),
  recipient: z.string().meta({ description: 'Masked' }),
  steps: z.number().int(),
  steps_done: z.number().int(),
  ended_at: optionalTime,
  erased: z
    .record(z.string(), z.number().int())
    .meta({ description: 'The number of erased rows so far, by kind' }),
});
export type RecipientErasure = z.infer<typeof RecipientErasure>;

export const eraseRecipient = adminRoute('erasures:write', 'POST /operator/erasures/', {
  name: 'eraseRecipient',
  summary: 'Erase a recipient from all accounts',
  description:
    'Removes the recipient in every spelling, including from texts sent to others, and cancels messages waiting for dispatch. The records that messages were sent, their cost, and the opt-out (as a keyed hash) remain. A worker does this step by step. The recipient can get new codes afterwards. This cannot be undone.',
  body: z.object({
    recipient: requiredText('Please enter a phone number or an email address')
      .max(254, 'At most 254 characters')
      .refine(oneLine, 'Must be a single line'),
    reason,
  }),
  status: 201,
  reply: RecipientErasure.extend({
    accounts: z
      .number()
      .int()
      .meta({ description: 'Number of accounts with this address or phone number; they are not erased' }),
  }),
});
export const listRecipientErasures = supportRoute('erasures:read', 'GET /operator/erasures/', {
  name: 'listRecipientErasures',
  summary: 'Erasures of recipients, with masked recipients',
  description: 'Entries are kept for 400 days after they finish.',
  query: listQuery(['created_at'], '-created_at').pick({ page: true, page_size: true }),
  reply: listOf(RecipientErasure),
});
