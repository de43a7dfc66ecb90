import { z } from 'zod';
import { id, requiredText } from '../field.ts';
import { ROLES } from '../roles.ts';
import { route } from '../route.ts';

const person = { tag: 'account', auth: 'person' } as const;

export const OwnAccount = z.object({
  id,
  slug: z.string().meta({ description: 'The account in addresses of the dashboard: /a/<slug>' }),
  name: z.string(),
  role: z.enum(ROLES),
});
export type OwnAccount = z.infer<typeof OwnAccount>;

export const listAccounts = route('GET /accounts/', {
  ...person,
  name: 'listAccounts',
  summary: 'The accounts of the signed-in person',
  reply: z.object({ results: z.array(OwnAccount) }),
});

export const AccountNameBody = z.object({
  name: requiredText('Enter a name').max(100, 'At most 100 characters'),
});

export const createAccount = route('POST /accounts/', {
  ...person,
  name: 'createAccount',
  summary: 'Create another account',
  body: AccountNameBody,
  status: 201,
  reply: OwnAccount,
});

export const renameAccount = route('PUT /account/', {
  tag: 'account',
  auth: 'bearer',
  name: 'renameAccount',
  summary: 'Rename the account',
  body: AccountNameBody,
  reply: OwnAccount,
});

export const TransferCreditsBody = z.object({
  to_account_id: id,
  credits: z
    .number({ error: 'Enter a whole number of credits' })
    .int('Enter a whole number of credits')
    .min(1, 'Transfer at least 1 credit'),
});
export const transferCredits = route('POST /credits/transfer/', {
  tag: 'payments',
  auth: 'bearer',
  name: 'transferCredits',
  idempotent: true,
  stepUp: true,
  summary: 'Move credits to another account of the same owner',
  body: TransferCreditsBody,
  reply: z.object({ credits: z.number().int() }),
  failures: ['insufficient_credits'],
});
