import { createContext, useContext, useEffect, useRef } from 'react';

/** A form with edits that are not saved. */
export interface Unsaved {
  /** its heading: 'Profile' */
  name: string;
  save: () => void;
  discard: () => void;
}

/** Registers a form's unsaved edits, or with undefined their end. */
export type Register = (name: string, unsaved: Unsaved | undefined) => void;
export const UnsavedContext = createContext<Register>(() => undefined);

interface Fields<Values> {
  values: Values;
  setValues: (values: Values) => void;
}

/**
 * Tells the screen while the form's values differ from the saved ones: `useUnsaved('Profile', form, valuesOf(kept))`. The screen
 * is inside `<UnsavedChanges>`.
 */
export function useUnsaved<Values extends object>(
  name: string,
  form: { fields: Fields<Values>; onSubmit: () => void },
  saved: Values,
): void {
  const register = useContext(UnsavedContext);
  const latest = useRef({ form, saved });
  latest.current = { form, saved };
  // Another tab or another form may save these fields too.
  const known = useRef(saved);
  const isNews = differs(saved, known.current);
  useEffect(() => {
    if (!isNews) return;
    const { fields } = latest.current.form;
    fields.setValues(followed(fields.values, known.current, latest.current.saved));
    known.current = latest.current.saved;
  }, [isNews]);
  const isDirty = !isNews && differs(form.fields.values, saved);
  useEffect(() => {
    if (!isDirty) return;
    register(name, {
      name,
      save: () => latest.current.form.onSubmit(),
      discard: () => latest.current.form.fields.setValues(latest.current.saved),
    });
    return () => register(name, undefined);
  }, [isDirty, name, register]);
}

/** The values of a form after the saved ones have changed elsewhere: edited fields stay, the others follow. */
export const followed = <Values extends object>(values: Values, before: Values, saved: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([field, value]) => {
      const name = field as keyof Values;
      return [field, value === before[name] ? saved[name] : value];
    }),
  ) as Values;

/** Whether a field has another value. */
export const differs = (values: object, saved: object): boolean =>
  Object.entries(saved).some(([field, value]) => (values as Record<string, unknown>)[field] !== value);
