import { TextInput, type TextInputProps } from '@mantine/core';
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
  /** who reads the reason, if the owner does too */
  readers?: string;
  submit: (values: { reason: string; credits: number }) => Promise<unknown>;
  success: string;
}

/** The field for the reason of an operator's change. */
export const ReasonInput = (props: TextInputProps) => (
  <TextInput label="Reason" description="Recorded in the audit log." autoComplete="off" {...props} />
);

/** Asks for the reason of an operator's change, which the audit records. */
export const ReasonDialog = ({ schema, asksCredits, readers, submit, ...dialog }: ReasonDialogProps) => (
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
            description="Enter a negative number to remove credits."
            allowDecimal={false}
            thousandSeparator=","
            // the numeric keyboard of iOS has no minus
            inputMode="text"
            data-autofocus
            {...field('credits')}
          />
        ) : null}
        <ReasonInput
          {...(readers && { description: readers })}
          {...(asksCredits ? {} : { 'data-autofocus': true })}
          {...field('reason')}
        />
      </>
    )}
  </FormDialog>
);
