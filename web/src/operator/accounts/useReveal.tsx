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
  /** nothing once it is revealed */
  button: (id: string) => ReactNode;
  dialog: ReactNode;
}

/** Masked rows, of which an operator reveals one after giving a reason. */
export function useReveal<T>({ title, schema, success, run }: Declared<T>): Reveal<T> {
  const [asked, setAsked] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [revealed, setRevealed] = useState<Record<string, T>>({});
  // Stable until something is revealed, because columns of tables contain it.
  const button = useCallback(
    (id: string) =>
      revealed[id] ? null : (
        <Button
          variant="default"
          size="compact-sm"
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
        description="The audit records who revealed what, and why. The owner sees that an operator did."
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
