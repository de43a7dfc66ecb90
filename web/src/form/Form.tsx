import { Button, type ButtonProps } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import { type QueryKey, useMutation } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { z } from 'zod';
import { ApiError, sentence } from '../api/call.ts';
import { busyButton } from '../ui/busy-button.ts';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';

interface Props {
  // biome-ignore lint/suspicious/noExplicitAny: the form does not depend on the types of its fields and response
  form: BodyForm<any, any>;
  children: ReactNode;
  /** label for screen readers, if no heading names the form */
  label?: string;
}

/** Fields in a column below an alert for errors without a field. Turns off the browser's validation bubbles. */
export const Form = ({ form, children, label }: Props) => (
  <form
    ref={form.element}
    className="flex flex-col gap-4"
    onFocus={form.onFocus}
    onSubmit={form.onSubmit}
    noValidate
    aria-label={label}
  >
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

/** Saves a section of a screen. The bar with unsaved changes has the primary button. */
export const SaveButton = (props: SubmitProps) => (
  <SubmitButton busy="Saving..." className="self-start" variant="default" {...props} />
);

export interface Declared<Values extends Record<string, unknown>, Schema extends z.ZodType, Result> {
  /** the schema of the route's body, which the server applies too. A screen's form loads it when the form gets the focus */
  schema: Schema | (() => Promise<Schema>);
  initialValues: Values;
  /** converts the fields to the body, if they differ */
  toBody?: (values: Values) => unknown;
  /** a custom sentence for an empty field */
  whenEmpty?: Partial<Record<keyof Values, string>>;
  submit: (body: z.output<Schema>, values: Values) => Promise<Result>;
  /** Forms of one scope save one after another, so that the last reply is the newest. */
  scope?: string;
  /** lets other parts see that it is being sent */
  key?: QueryKey;
  /** shown if the server sends no sentence */
  failure: string;
  onSuccess?: (result: Result, values: Values) => unknown;
}

export interface BodyForm<Values extends Record<string, unknown>, Result = unknown> {
  /** for `<Form>` */
  element: RefObject<HTMLFormElement | null>;
  fields: UseFormReturnType<Values>;
  /** the properties of an input: `<TextInput label="Name" {...field('name')} />` */
  field: (name: keyof Values & string) => ReturnType<UseFormReturnType<Values>['getInputProps']>;
  isBusy: boolean;
  /** for the alert above the fields; field errors appear at their field */
  problem: string | undefined;
  setProblem: (problem: string | undefined) => void;
  onFocus: () => void;
  onSubmit: (event?: React.FormEvent<HTMLFormElement>) => void;
  result: Result | undefined;
}

/**
 * A form is default values, the schema of a route's body and one call:
 * `const form = useBodyForm({ schema: createApiKey.body, initialValues, submit: (body) => call(createApiKey, { body }), failure })`.
 * Draw it with `<Form form={form}>` and `{...form.field('name')}`. The server's field errors
 * appear at their fields, the first invalid field gets the focus, and the alert announces every other error.
 */
export function useBodyForm<Values extends Record<string, unknown>, Schema extends z.ZodType, Result>(
  declared: Declared<Values, Schema, Result>,
): BodyForm<Values, Result> {
  const { initialValues, whenEmpty, failure, scope, key } = declared;
  const schema = useSchema(declared.schema);
  const [problem, setProblem] = useState<string>();
  const toBody = declared.toBody ?? ((values: Values): unknown => values);

  const messageFor = (name: string, message: string): string =>
    (message === REQUIRED ? whenEmpty?.[name as keyof Values] : undefined) ?? message;

  const fields = useForm<Values>({
    mode: 'controlled',
    initialValues,
    validateInputOnBlur: false,
    clearInputErrorOnChange: true,
    validate: (values) => {
      const parsed = schema.now().safeParse(toBody(values));
      const errors: Record<string, string> = {};
      for (const issue of parsed.error?.issues ?? []) {
        const name = String(issue.path[0]);
        errors[name] ??= messageFor(name, issue.message);
      }
      return errors as never;
    },
  });

  const element = useRef<HTMLFormElement>(null);
  const toFocus = useRef<string>(undefined);
  const focusFirst = (names: readonly string[]): void => {
    toFocus.current = Object.keys(initialValues).find((name) => names.includes(name));
  };
  // Moves the focus in the same step as the errors. A moment later, the user may be typing in another field.
  useLayoutEffect(() => {
    // Mantine's `getInputNode` searches the document, where another form may have a field of the same name.
    if (toFocus.current)
      element.current?.querySelector<HTMLElement>(`[data-path="${toFocus.current}"]`)?.focus();
    toFocus.current = undefined;
  });

  const sending = useRef(false);
  const mutation = useMutation({
    ...(scope && { scope: { id: scope } }),
    ...(key && { mutationKey: key }),
    mutationFn: (values: Values) => declared.submit(schema.now().parse(toBody(values)), values),
    onMutate: () => setProblem(undefined),
    onSuccess: (result, values) => declared.onSuccess?.(result, values),
    onError: (cause) => {
      console.error(cause);
      const answered = cause instanceof ApiError ? cause.fields : {};
      const shown = Object.keys(answered).filter((name) => name in initialValues);
      for (const name of shown) fields.setFieldError(name, messageFor(name, answered[name]?.[0] ?? ''));
      focusFirst(shown);
      const rest = Object.keys(answered).find((name) => !shown.includes(name));
      if (shown.length === 0) setProblem(sentence(cause, (rest && answered[rest]?.[0]) ?? failure));
    },
    onSettled: () => {
      sending.current = false;
    },
  });

  const submit = fields.onSubmit(
    (values) => {
      // a second click before the busy state has rendered
      if (sending.current) return;
      sending.current = true;
      mutation.mutate(values);
    },
    (errors) => {
      setProblem(undefined);
      focusFirst(Object.keys(errors));
    },
  );

  return {
    element,
    fields,
    field: (name) => {
      const type = typeof initialValues[name] === 'boolean' ? 'checkbox' : 'input';
      return fields.getInputProps(name as never, { type });
    },
    isBusy: mutation.isPending,
    problem,
    setProblem,
    result: mutation.data,
    // A submit loads it again, and shows the failure.
    onFocus: () => void schema.load()?.catch(() => undefined),
    onSubmit: (event) => {
      event?.preventDefault();
      const loading = schema.load();
      if (!loading) return submit(event);
      loading.then(
        () => submit(),
        (cause: unknown) => {
          console.error(cause);
          setProblem(failure);
        },
      );
    },
  };
}

function useSchema<Schema extends z.ZodType>(declared: Declared<never, Schema, never>['schema']) {
  const loaded = useRef<Schema>(undefined);
  return {
    /** undefined if there is nothing to load */
    load: (): Promise<unknown> | undefined => {
      if (typeof declared !== 'function' || loaded.current) return undefined;
      return declared().then((schema) => {
        loaded.current = schema;
      });
    },
    now: (): Schema => (typeof declared === 'function' ? (loaded.current as Schema) : declared),
  };
}
