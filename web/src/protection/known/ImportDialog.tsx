import { Button } from '@mantine/core';
import { getKnownRecipients, importKnownRecipients } from '@sixdigit/contract/protection/known.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, sentence } from '../../api/call.ts';
import { invalidate } from '../../api/read.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { countOf } from '../../ui/numbers.ts';
import { type FileRow, rowsOfFile } from './known-file.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** Rows in one call. */
const PART = 1_000;
const ERRORS_SHOWN = 200;

interface State {
  isRunning: boolean;
  done: number;
  of: number;
  imported: number;
  errors: { row: number; error: string }[];
  failure: string | null;
}
const NOTHING: State = { isRunning: false, done: 0, of: 0, imported: 0, errors: [], failure: null };

/** Imports a file in parts. Closing the dialog stops it after the current part. */
export function ImportDialog({ opened, onClose }: Props) {
  const queryClient = useQueryClient();
  const file = useRef<HTMLInputElement>(null);
  const [state, setState] = useState(NOTHING);
  const isOpen = useRef(opened);
  useEffect(() => {
    isOpen.current = opened;
  }, [opened]);

  const run = async (chosen: File): Promise<void> => {
    setState({ ...NOTHING, isRunning: true });
    try {
      const rows = rowsOfFile(new Uint8Array(await chosen.arrayBuffer()));
      for (let from = 0; from < rows.length && isOpen.current; from += PART) {
        const part = rows.slice(from, from + PART);
        const { imported, errors } = await call(importKnownRecipients, {
          body: { recipients: part.map(({ row: _, ...given }) => given) },
        });
        const own = errors.map(({ row, error }) => ({ row: (part[row - 1] as FileRow).row, error }));
        setState((before) => ({
          ...before,
          of: rows.length,
          done: from + part.length,
          imported: before.imported + imported,
          errors: [...before.errors, ...own],
        }));
      }
      setState((before) => ({ ...before, isRunning: false }));
    } catch (error) {
      setState((before) => ({
        ...before,
        isRunning: false,
        failure: sentence(error, 'Failed to import the file'),
      }));
    }
    await invalidate(queryClient, getKnownRecipients);
  };
  const isOver = state.done > 0 || state.failure !== null;
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      onClosed={() => setState(NOTHING)}
      title="Import Known Recipients"
      description="CSV with a column recipient, phone, phoneNumber or email and, optionally, verified_at. Or the JSON of firebase auth:export. At most 100,000 rows."
    >
      <label className="grid grid-cols-1 gap-1.5 text-14 font-550">
        File
        <input
          ref={file}
          type="file"
          accept=".csv,.txt,.json,text/csv,application/json"
          data-autofocus
          disabled={state.isRunning}
          autoComplete="off"
          className="w-full min-w-0 text-14 font-400"
          onChange={({ currentTarget }) => {
            const [chosen] = currentTarget.files ?? [];
            if (chosen) void run(chosen);
          }}
        />
      </label>
      <div role="status" className="mt-3 grid gap-2">
        {state.isRunning || state.done > 0 ? (
          <>
            <progress
              className="w-full"
              value={state.done}
              max={Math.max(1, state.of)}
              aria-label="Progress"
            />
            <p className="m-0 text-14">
              {state.done.toLocaleString('en-US')} of {countOf(state.of, 'row')} read,{' '}
              {state.imported.toLocaleString('en-US')} imported, {countOf(state.errors.length, 'error')}.
            </p>
          </>
        ) : null}
        {state.failure ? <p className="m-0 text-14 text-red">{state.failure}</p> : null}
      </div>
      {state.errors.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        <section className="mt-3 max-h-60 overflow-auto text-13" aria-label="Errors" tabIndex={0}>
          <ul className="m-0 list-none p-0">
            {state.errors.slice(0, ERRORS_SHOWN).map(({ row, error }, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row may have two recipients
              <li key={n} className="border-t border-line py-1 wrap-anywhere">
                Row {row.toLocaleString('en-US')}: {error}
              </li>
            ))}
            {state.errors.length > ERRORS_SHOWN ? (
              <li className="border-t border-line py-1">
                {(state.errors.length - ERRORS_SHOWN).toLocaleString('en-US')} more
              </li>
            ) : null}
          </ul>
        </section>
      ) : null}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {isOver && !state.isRunning ? 'Done' : 'Cancel'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
