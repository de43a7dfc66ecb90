import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import type { z } from 'zod';
import type { Changed } from '../api/read.ts';
import { FormDialog } from './FormDialog.tsx';

interface Props<Schema extends z.ZodType, Result> {
  opened: boolean;
  onClose: () => void;
  /** what has the secret; undefined until it is chosen */
  of: { id: string; name: string } | undefined;
  title: string;
  confirm: string;
  /** what changes, and what does not */
  about: ReactNode;
  /** the field of the body that says how long the current secret stays valid */
  field: string;
  byDefault: number;
  choices: { value: string; label: string }[];
  /** how to choose */
  hint: string | undefined;
  schema: Schema;
  submit: (body: z.output<Schema>) => Promise<Result>;
  failure: string;
  refresh: Changed;
  onRotated: (result: Result) => void;
}

/** Gives a thing a new secret. The current one stays valid for a while, so that programs can switch. */
export const RotateSecretDialog = <Schema extends z.ZodType, Result>({
  of,
  about,
  field: name,
  byDefault,
  choices,
  hint,
  schema,
  submit,
  failure,
  onRotated,
  ...dialog
}: Props<Schema, Result>) => (
  <FormDialog
    {...dialog}
    description={of?.name}
    busy="Rotating..."
    formKey={of?.id}
    form={
      of && {
        schema,
        initialValues: { [name]: String(byDefault) },
        toBody: (values) => ({ [name]: Number(values[name]) }),
        submit,
        failure,
        onSuccess: onRotated,
      }
    }
  >
    {({ field }) => (
      <>
        <p className="m-0 text-ink-soft">{about}</p>
        <NativeSelect
          label="The current secret stays valid for"
          description={hint}
          data={[{ value: '0', label: 'Not at all: it stops working immediately' }, ...choices]}
          data-autofocus
          {...field(name)}
        />
      </>
    )}
  </FormDialog>
);
