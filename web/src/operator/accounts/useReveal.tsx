import { Button } from '@mantine/core';
import { type ReactNode, useCallback, useState } from 'react';
import type { z } from 'zod';
import { ReasonDialog } from '../ReasonDialog.tsx';

interface Declared<T> {
  title: string;
  /** the schema of the call's body */
  schema: z.ZodType;
  success: string;
  run: (id: string, body: { reason: string }) => Promise<T>;
}

export interface Reveal<T> {
  /** the revealed rows, by id */
  revealed: Readonly<Record<string, T>>;
  /** null once the row is revealed; `of` tells the buttons of several rows apart */
  button: (id: string, of?: string | null) => ReactNode;
  dialog: ReactNode;
}

/** Reveals masked rows one at a time, after the operator gives a reason. */
export function useReveal<T>({ title, schema, success, run }: Declared<T>): Reveal<T> {
  const [asked, setAsked] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [revealed, setRevealed] = useState<Record<string, T>>({});
  // Stable until a row is revealed, because table columns contain it.
  const button = useCallback(
    (id: string, of?: string | null) =>
      revealed[id] ? null : (
        <Button
          variant="default"
          size="compact-sm"
          {...(of && { 'aria-label': `Reveal ${of}` })}
          onClick={() => {
            setAsked(id);
            setOpen(true);
          }}
        >
          Reveal
        </Button>
      ),
    [revealed],
  );
  return {
    revealed,
    button,
    dialog: (
      <ReasonDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={title}
        description="The audit log records what you reveal. The owner can see that an operator revealed it, but not the reason."
        schema={schema}
        confirm="Reveal"
        success={success}
        submit={async (body) => {
          const found = await run(asked, body);
          setRevealed((before) => ({ ...before, [asked]: found }));
        }}
      />
    ),
  };
}
