import { z } from 'zod';
import { headerText, headerTextMessage, id, requiredText } from '../field.ts';
import { ROLES } from '../roles.ts';
import { route } from '../route.ts';

/** A person is a member of at most this many accounts. */
export const ACCOUNTS_MAX = 50;

export const OwnAccount = z.object({
  id,
  slug: z.string().meta({
    description: 'The account in addresses of the dashboard: /a/<slug>/…. Empty while it is the only one',
  }),
  name: z.string().meta({ description: 'Its name, or the address of its owner if it has none' }),
  role: z.enum(ROLES),
});
export type OwnAccount = z.infer<typeof OwnAccount>;

export const listAccounts = route('GET /accounts/', {
  tag: 'account',
  auth: 'person',
  name: 'listAccounts',
  summary: 'The accounts of the signed-in person',
  description:
    'The first is the default: calls without the header `X-Account` use it. The others follow in the order in which the person joined them. An SSO session gets only its own account.',
  reply: z.object({ results: z.array(OwnAccount) }),
});

export const AccountNameBody = z.object({
  name: requiredText('Enter a name')
    .max(100, 'At most 100 characters')
    .refine(headerText, headerTextMessage('The name')),
});

export const createAccount = route('POST /accounts/', {
  tag: 'account',
  auth: 'person',
  name: 'createAccount',
  ownProof: true,
  summary: 'Create another account',
  description: 'The signed-in person becomes its owner. It gets no welcome credits.',
  body: AccountNameBody,
  status: 201,
  reply: OwnAccount,
  failures: ['account_limit_reached'],
});

export const renameAccount = route('PUT /account/', {
  tag: 'account',
  auth: 'bearer',
  name: 'renameAccount',
  summary: 'Rename the account',
  description: 'Its addresses in the dashboard stay the same.',
  body: AccountNameBody,
  reply: OwnAccount,
});

export const TransferCreditsBody = z.object({
  to_account_id: id,
  credits: z
    .number({ error: 'Enter a whole number of credits' })
    .int('Enter a whole number of credits')
    .min(1, 'Move at least 1 credit')
    .max(1_000_000_000, 'Enter a smaller number of credits'),
});
export const transferCredits = route('POST /credits/transfer/', {
  tag: 'payments',
  auth: 'bearer',
  name: 'transferCredits',
  ownProof: true,
  idempotent: true,
  stepUp: true,
  summary: 'Move credits to another account of the same owner',
  description: 'The signed-in person must own both accounts. The payment history of each gets one row.',
  body: TransferCreditsBody,
  reply: z.object({ credits: z.number().int().meta({ description: 'The remaining balance' }) }),
  failures: ['insufficient_credits', 'idempotency_key_reused'],
});
