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
  const isDirty = differs(form.fields.values, saved);
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

/** Whether a field has another value. */
export const differs = (values: object, saved: object): boolean =>
  Object.entries(saved).some(([field, value]) => (values as Record<string, unknown>)[field] !== value);
