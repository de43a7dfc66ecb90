import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useCallback, useState } from 'react';
import { isSignedIn } from '../api/session.ts';
import { LazyConfirmDialog } from '../ui/LazyConfirmDialog.tsx';
import { type Register, type Unsaved, UnsavedContext } from './unsaved.ts';

const names = new Intl.ListFormat('en-US', { type: 'conjunction' });

/** Shows a bar while a form inside has unsaved edits, and asks before the visitor leaves the screen. */
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
  // Signing out is meant to leave.
  const isBlocking = (): boolean => unsaved.length > 0 && isSignedIn();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isBlocking(),
    enableBeforeUnload: isBlocking,
    withResolver: true,
  });
  const listed = names.format(unsaved.map(({ name }) => name));

  return (
    <UnsavedContext value={register}>
      {children}
      {unsaved.length > 0 ? (
        <section
          ref={uncoverFocus}
          className="lift sticky bottom-4 z-20 mt-5 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-12 border border-accent bg-surface py-2.5 ps-4.5 pe-2.5"
          aria-label="Unsaved changes"
          data-bottom-bar=""
        >
          <p className="m-0 text-15 font-550" role="status">
            Unsaved changes: {listed}
          </p>
          <div className="flex gap-2">
            <Button variant="default" onClick={() => each(unsaved, 'discard')}>
              Discard
            </Button>
            <Button onClick={() => each(unsaved, 'save')}>Save All</Button>
          </div>
        </section>
      ) : null}
      <LazyConfirmDialog
        opened={blocker.status === 'blocked'}
        onClose={() => blocker.reset?.()}
        title="Leave without saving?"
        confirm="Leave"
        onConfirm={() => blocker.proceed?.()}
        isDangerous
      >
        <p className="m-0">Your changes are not saved: {listed}.</p>
      </LazyConfirmDialog>
    </UnsavedContext>
  );
}

/** The bar appears over the field that is being edited, if that is at the bottom of the window. */
function uncoverFocus(bar: HTMLElement | null): void {
  if (bar && document.activeElement !== document.body)
    document.activeElement?.scrollIntoView({ block: 'nearest' });
}

const each = (all: readonly Unsaved[], action: 'save' | 'discard'): void => {
  for (const form of all) form[action]();
};
