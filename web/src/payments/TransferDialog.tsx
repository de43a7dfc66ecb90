import { NativeSelect } from '@mantine/core';
import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import {
  type OwnAccount,
  TransferCreditsBody,
  transferCredits,
} from '@sixdigit/contract/accounts/own-accounts.ts';
import { listTransactions } from '@sixdigit/contract/payments.ts';
import { useState } from 'react';
import { nameOf } from '../accounts/own-accounts.ts';
import { call } from '../api/call.ts';
import { newIdempotencyKey } from '../api/idempotency-key.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { WholeNumberInput } from '../form/WholeNumberInput.tsx';
import { count } from './prices.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  /** other accounts of the same owner */
  to: readonly OwnAccount[];
  balance: number;
}

/** Moves credits to another account of the same owner. */
export function TransferDialog({ to, balance, ...dialog }: Props) {
  // A repeated attempt moves the credits once.
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  return (
    <FormDialog
      {...dialog}
      title="Move Credits"
      description={`This account has ${count(balance)}. Moved credits arrive immediately.`}
      confirm="Move Credits"
      busy="Moving..."
      success="Credits moved"
      refresh={[getMe, listTransactions]}
      form={{
        schema: TransferCreditsBody,
        initialValues: { to_account_id: to[0]?.id ?? '', credits: '' },
        whenEmpty: { credits: 'Enter a whole number of credits' },
        toBody: ({ to_account_id, credits }) => ({
          to_account_id,
          credits: credits === '' ? undefined : Number(credits),
        }),
        submit: async (body) => {
          const reply = await call(transferCredits, { body, idempotencyKey });
          setKey(newIdempotencyKey());
          return reply;
        },
        failure: 'Failed to move the credits',
      }}
    >
      {({ field }) => (
        <>
          <NativeSelect
            label="To account"
            data={to.map((account) => ({ value: account.id, label: nameOf(account) }))}
            {...field('to_account_id')}
          />
          <WholeNumberInput
            label="Amount"
            fallback={undefined}
            unit="credits"
            data-autofocus
            {...field('credits')}
          />
        </>
      )}
    </FormDialog>
  );
}
