import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { z } from 'zod';
import { FormDialog } from '../form/FormDialog.tsx';
import { NumberInput } from '../ui/NumberInput.ts';

export interface ReasonDialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  /** the schema of the call's body */
  schema: z.ZodType;
  confirm: string;
  isDangerous?: boolean;
  /** also asks for a number of credits */
  asksCredits?: boolean;
  submit: (values: { reason: string; credits: number }) => Promise<unknown>;
  success: string;
}

/** Asks for the reason of an operator's change, which the audit records. */
export const ReasonDialog = ({ schema, asksCredits, submit, ...dialog }: ReasonDialogProps) => (
  <FormDialog
    {...dialog}
    form={{
      schema,
      initialValues: { credits: '' as number | string, reason: '' },
      toBody: ({ credits, reason }) =>
        asksCredits ? { credits: credits === '' ? undefined : Number(credits), reason } : { reason },
      submit: (body) => submit(body as { reason: string; credits: number }),
      failure: 'Failed to make the change',
    }}
  >
    {({ field }) => (
      <>
        {asksCredits ? (
          <NumberInput
            label="Credits"
            description="Negative to remove credits"
            allowDecimal={false}
            thousandSeparator=","
            // the numeric keyboard of iOS has no minus
            inputMode="text"
            data-autofocus
            {...field('credits')}
          />
        ) : null}
        <TextInput
          label="Reason"
          autoComplete="off"
          {...(asksCredits ? {} : { 'data-autofocus': true })}
          {...field('reason')}
        />
      </>
    )}
  </FormDialog>
);
