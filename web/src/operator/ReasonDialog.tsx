import { Button, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { z } from 'zod';
import { Form, SubmitButton } from '../form/Form.tsx';
import { useBodyForm } from '../form/useBodyForm.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { NumberInput } from '../ui/NumberInput.ts';
import { toast } from '../ui/toast.ts';

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

/** Every change by an operator has a reason, which the audit keeps. */
export const ReasonDialog = (props: ReasonDialogProps) => (
  <Dialog opened={props.opened} onClose={props.onClose} title={props.title} description={props.description}>
    <ReasonForm {...props} />
  </Dialog>
);

function ReasonForm({
  onClose,
  title,
  schema,
  confirm,
  isDangerous,
  asksCredits,
  submit,
  success,
}: ReasonDialogProps) {
  const form = useBodyForm({
    schema,
    initialValues: { credits: '' as number | string, reason: '' },
    toBody: ({ credits, reason }) =>
      asksCredits ? { credits: credits === '' ? undefined : Number(credits), reason } : { reason },
    submit: (body) => submit(body as { reason: string; credits: number }),
    failure: 'The change could not be made',
    onSuccess: () => {
      toast.success(success);
      onClose();
    },
  });
  return (
    <Form form={form} label={title}>
      {asksCredits ? (
        <NumberInput
          label="Credits"
          description="Negative to remove credits"
          allowDecimal={false}
          thousandSeparator=","
          data-autofocus
          {...form.field('credits')}
        />
      ) : null}
      <TextInput
        label="Reason"
        autoComplete="off"
        {...(asksCredits ? {} : { 'data-autofocus': true })}
        {...form.field('reason')}
      />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton form={form} {...(isDangerous && { color: 'red' })}>
          {confirm}
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
