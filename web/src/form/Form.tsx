import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { busyButton } from '../ui/busy-button.ts';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import type { BodyForm } from './useBodyForm.ts';

interface Props {
  // biome-ignore lint/suspicious/noExplicitAny: the form does not depend on the types of its fields and response
  form: BodyForm<any, any>;
  children: ReactNode;
  /** label for screen readers, if no heading names the form */
  label?: string;
}

/** Fields in a column below an alert for errors without a field. Turns off the browser's validation bubbles. */
export const Form = ({ form, children, label }: Props) => (
  <form className="flex flex-col gap-4" onSubmit={form.onSubmit} noValidate aria-label={label}>
    <ErrorAlert problem={form.problem} />
    {children}
  </form>
);

interface SubmitProps extends ButtonProps {
  form: Pick<BodyForm<Record<string, unknown>>, 'isBusy'>;
  children: string;
  /** 'Saving...' */
  busy?: string;
}

/** Keeps its place and the focus while busy. */
export const SubmitButton = ({ form, children, busy, ...props }: SubmitProps) => (
  <Button type="submit" {...busyButton(form.isBusy)} {...props}>
    {form.isBusy ? (busy ?? children) : children}
  </Button>
);
