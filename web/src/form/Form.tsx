import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import classes from './Form.module.css';
import type { BodyForm } from './useBodyForm.ts';

interface Props {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the fields and the answer are
  form: BodyForm<any, any>;
  children: ReactNode;
  /** for screen readers, where no heading says it */
  label?: string;
}

/** The fields in a column, with the alert for what belongs to none of them above. The browser's own bubbles stay away. */
export const Form = ({ form, children, label }: Props) => (
  <form className={classes.form} onSubmit={form.onSubmit} noValidate aria-label={label}>
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

/** Stays in place and keeps the focus while busy. */
export const SubmitButton = ({ form, children, busy, ...props }: SubmitProps) => (
  <Button
    type="submit"
    {...(form.isBusy && { 'data-disabled': true })}
    aria-disabled={form.isBusy}
    {...props}
  >
    {form.isBusy ? (busy ?? children) : children}
  </Button>
);
