import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import type { z } from 'zod';
import { type Changed, invalidate } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { type BodyForm, type Declared, Form, SubmitButton, useBodyForm } from './Form.tsx';

interface FormProps<Values extends Record<string, unknown>, Schema extends z.ZodType, Result> {
  onClose: () => void;
  /** for screen readers */
  label: string;
  /** Its `onSuccess` runs instead of closing the dialog. */
  form: Declared<Values, Schema, Result>;
  /** the fields */
  children: (form: BodyForm<Values, Result>) => ReactNode;
  confirm: string;
  /** 'Saving...' */
  busy?: string;
  isDangerous?: boolean;
  isDisabled?: (values: Values) => boolean;
  /** in place of Cancel */
  back?: { label: string; onClick: () => void };
  /** the toast */
  success?: string;
  /** what changes; refetched before the dialog closes */
  refresh?: Changed;
}

/** The form of a dialog with its buttons, for a dialog with steps or with more than a form. */
export function DialogForm<Values extends Record<string, unknown>, Schema extends z.ZodType, Result>({
  onClose,
  label,
  form: declared,
  children,
  confirm,
  busy,
  isDangerous,
  isDisabled,
  back = { label: 'Cancel', onClick: onClose },
  success,
  refresh = [],
}: FormProps<Values, Schema, Result>) {
  const queryClient = useQueryClient();
  const form = useBodyForm({
    ...declared,
    onSuccess: async (result, values) => {
      const refreshed = invalidate(queryClient, ...refresh);
      if (!declared.onSuccess) await refreshed;
      if (success) toast.success(success);
      if (declared.onSuccess) await declared.onSuccess(result, values);
      else onClose();
    },
  });
  return (
    <Form form={form} label={label}>
      {children(form)}
      <DialogActions>
        <Button variant="default" onClick={back.onClick}>
          {back.label}
        </Button>
        <SubmitButton
          form={form}
          {...(busy && { busy })}
          {...(isDangerous && { color: 'red' })}
          {...(isDisabled && { disabled: isDisabled(form.fields.values) })}
        >
          {confirm}
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}

interface Props<Values extends Record<string, unknown>, Schema extends z.ZodType, Result>
  extends Omit<ComponentProps<typeof Dialog>, 'children'>,
    Omit<FormProps<Values, Schema, Result>, 'label' | 'form'> {
  /** the title, unless given */
  label?: string;
  /** undefined while nothing is chosen */
  form: Declared<Values, Schema, Result> | undefined;
  /** A different key resets the form. */
  formKey?: string | undefined;
}

/**
 * A dialog with a form, which shows its errors. Each opening starts with the initial values. A success refetches what has
 * changed, shows a toast and closes the dialog.
 */
export const FormDialog = <Values extends Record<string, unknown>, Schema extends z.ZodType, Result>({
  opened,
  title,
  description,
  size = 'md',
  label = title,
  form,
  formKey = '',
  ...props
}: Props<Values, Schema, Result>) => (
  <Dialog opened={opened} onClose={props.onClose} title={title} description={description} size={size}>
    {form ? <DialogForm key={formKey} {...props} label={label} form={form} /> : null}
  </Dialog>
);
