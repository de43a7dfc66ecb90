import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import {
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { isSignedIn } from '../api/session.ts';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { LazyConfirmDialog } from '../ui/lazy-dialog.tsx';

/** A form with edits that are not saved. */
interface Unsaved {
  /** its heading: 'Profile' */
  name: string;
  save: () => void;
  discard: () => void;
  /** has the button that saves it */
  element: RefObject<HTMLFormElement | null>;
}

/** Registers a form's unsaved edits; undefined removes them. */
type Register = (name: string, unsaved: Unsaved | undefined) => void;
const UnsavedContext = createContext<Register>(() => undefined);

interface Fields<Values> {
  values: Values;
  setValues: (values: Values) => void;
}

/**
 * Registers the form as unsaved while its values differ from the saved ones: `useUnsaved('Profile', form, valuesOf(kept))`.
 * The screen is inside `<UnsavedChanges>`.
 */
export function useUnsaved<Values extends object>(
  name: string,
  form: { fields: Fields<Values>; onSubmit: () => void; element: Unsaved['element'] },
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
      element: latest.current.form.element,
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

/** Whether any field differs from its saved value. */
export const differs = (values: object, saved: object): boolean =>
  Object.entries(saved).some(([field, value]) => (values as Record<string, unknown>)[field] !== value);

const names = new Intl.ListFormat('en-US');

/**
 * Shows a bar while a form inside has unsaved edits, and asks before the visitor leaves the screen. The bar is as wide as the
 * sections beside `OnThisPage`.
 */
export function UnsavedChanges({ children }: { children: ReactNode }) {
  const [forms, setForms] = useState<ReadonlyMap<string, Unsaved>>(new Map());
  const register = useCallback<Register>((name, unsaved) => {
    setForms((before) => {
      const after = new Map(before);
      if (unsaved) after.set(name, unsaved);
      else after.delete(name);
      return after;
    });
  }, []);
  const unsaved = [...forms.values()];
  const listed = names.format(unsaved.map(({ name }) => name));
  const needsSave = useNeedsSave(unsaved.length > 1 ? undefined : unsaved[0]?.element);

  return (
    <UnsavedContext value={register}>
      {children}
      {unsaved.length > 0 ? (
        <UnsavedBar
          className="xl:me-46"
          text={`Unsaved changes: ${listed}`}
          save={unsaved.length > 1 ? 'Save All' : needsSave ? 'Save' : undefined}
          onSave={() => each(unsaved, 'save')}
          onDiscard={() => each(unsaved, 'discard')}
        />
      ) : null}
      <LeaveGuard isUnsaved={unsaved.length > 0}>{`Your changes to ${listed} will be lost.`}</LeaveGuard>
    </UnsavedContext>
  );
}

/**
 * Whether the bar needs a button that saves: not while the form's own has been on the screen all the time. Once it is there it
 * stays, so that it does not vanish under a click when the page scrolls.
 */
function useNeedsSave(element: Unsaved['element'] | undefined): boolean {
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => {
    setNeeded(false);
    const button = element?.current?.querySelector('[type="submit"]');
    if (!button) return setNeeded(true);
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) setNeeded(true);
    });
    observer.observe(button);
    return () => observer.disconnect();
  }, [element]);
  return isNeeded;
}

/** Asks before the visitor leaves a screen with unsaved changes. */
export function LeaveGuard({ isUnsaved, children }: { isUnsaved: boolean; children: string }) {
  // Signing out does not ask about unsaved edits.
  const isBlocking = (): boolean => isUnsaved && isSignedIn();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isBlocking(),
    enableBeforeUnload: isBlocking,
    withResolver: true,
  });
  return (
    <LazyConfirmDialog
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      confirm="Leave Without Saving"
      cancel="Keep Editing"
      onConfirm={() => blocker.proceed?.()}
      isDangerous
    >
      <p className="m-0">{children}</p>
    </LazyConfirmDialog>
  );
}

interface BarProps {
  className?: string;
  text: string;
  /** the label of the button that saves, unless the form's own button is in view */
  save: string | undefined;
  onSave: () => void;
  onDiscard: () => void;
  /** why the changes cannot be saved */
  problem?: string | undefined;
  /** a dialog */
  children?: ReactNode;
}

/** The bar at the bottom of a screen with unsaved changes. */
export const UnsavedBar = ({
  className = '',
  text,
  save,
  onSave,
  onDiscard,
  problem,
  children,
}: BarProps) => (
  <section
    ref={uncoverFocus}
    className={`lift sticky bottom-4 z-20 mt-5 grid gap-3 rounded-12 border border-accent bg-surface py-2.5 ps-6 pe-2.5 max-sm:ps-2.5 ${className}`}
    aria-label="Unsaved changes"
    data-bottom-bar=""
  >
    <ErrorAlert problem={problem} />
    {/* Discard stays where it is when Save comes or goes: a click that has begun must hit it. */}
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 max-sm:grid max-sm:grid-cols-2 max-sm:gap-x-2">
      <p className="m-0 text-15 font-550 max-sm:col-span-2 max-sm:ps-2" role="status">
        {text}
      </p>
      <Button variant="default" onClick={onDiscard}>
        Discard
      </Button>
      {save ? (
        <Button className="ms-auto max-sm:w-full" disabled={problem !== undefined} onClick={onSave}>
          {save}
        </Button>
      ) : null}
    </div>
    {children}
  </section>
);

/** The bar appears over the field that is being edited, if that is at the bottom of the window. */
function uncoverFocus(bar: HTMLElement | null): void {
  if (bar && document.activeElement !== document.body)
    document.activeElement?.scrollIntoView({ block: 'nearest' });
}

const each = (all: readonly Unsaved[], action: 'save' | 'discard'): void => {
  for (const form of all) form[action]();
};
