import { Button, NativeSelect, TextInput } from '@mantine/core';
import {
  allowDestination,
  denyDestination,
  getProtection,
  LIST_KINDS,
  type ListEntry,
  type ListKind,
  type ListName,
  removeListEntry,
} from '@sixdigit/contract/protection/protection.ts';
import { IconSearch, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { useMay } from '../accounts/role.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { invalidate } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { usePhoneFormat } from '../ui/phone-numbers.ts';
import { TipIcon } from '../ui/TipIcon.tsx';
import { entryText, KIND_NAMES } from './block-texts.ts';
import { DestinationInput, valueAfter } from './DestinationInput.tsx';
import classes from './Protection.module.css';

interface Props {
  list: ListName;
  entries: readonly ListEntry[];
  isAdding: boolean;
}

const FIRST = 20;

/** The allow list or the deny list. Each change is saved immediately. */
export function DestinationList({ list, entries, isAdding }: Props) {
  const region = useRef<HTMLDivElement>(null);
  const [search, setSearch] = useState('');
  const [isAll, setAll] = useState(false);
  const wanted = search.trim().toLowerCase();
  const matching = entries
    .filter((entry) =>
      `${entryText(entry)} ${entry.value} ${entry.note ?? ''}`.toLowerCase().includes(wanted),
    )
    .reverse();
  const shown = isAll ? matching : matching.slice(0, FIRST);
  return (
    <>
      {isAdding ? <AddEntry list={list} /> : null}
      {entries.length > FIRST ? (
        <TextInput
          type="search"
          autoComplete="off"
          enterKeyHint="search"
          spellCheck={false}
          aria-label={`Search the ${list} list`}
          placeholder={`Search ${entries.length} entries...`}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      ) : null}
      {/* takes the focus when the button of a removed entry disappears */}
      <div ref={region} tabIndex={-1} className="not-first:mt-3 outline-offset-4">
        {shown.length === 0 ? (
          <p className="m-0 flex items-center gap-2 text-14 text-ink-soft">
            {wanted === '' ? 'No entries.' : 'No entry matches the search.'}
          </p>
        ) : (
          <ul className="m-0 list-none p-0" aria-label={list === 'allow' ? 'Allow list' : 'Deny list'}>
            {shown.map((entry) => (
              <EntryRow
                key={`${entry.kind} ${entry.value}`}
                list={list}
                entry={entry}
                onRemoved={() => region.current?.focus()}
              />
            ))}
          </ul>
        )}
      </div>
      {matching.length > shown.length ? (
        <Button className="mt-3" variant="default" size="compact-sm" onClick={() => setAll(true)}>
          Show All {matching.length}
        </Button>
      ) : null}
    </>
  );
}

const DAY_MS = 86_400_000;
const validity = [
  { value: '', label: 'Permanently' },
  { value: '1', label: 'For a day' },
  { value: '7', label: 'For 7 days' },
  { value: '30', label: 'For 30 days' },
];
function AddEntry({ list }: { list: ListName }) {
  const queryClient = useQueryClient();
  const route = list === 'allow' ? allowDestination : denyDestination;
  const initialValues = { kind: 'number' as ListKind, value: '', note: '', days: '' };
  const form = useBodyForm({
    schema: async () => (await import('@sixdigit/contract/protection/shapes.ts')).ListEntryBody,
    initialValues,
    toBody: ({ kind, value, note, days }: typeof initialValues) => ({
      kind,
      value,
      ...(note.trim() === '' ? {} : { note }),
      ...(days === '' ? {} : { expires_at: new Date(nowMs() + Number(days) * DAY_MS).toISOString() }),
    }),
    submit: (body) => call(route, { body }),
    failure: 'Failed to add the entry',
    onSuccess: async (_, { kind, value }) => {
      form.fields.setValues({ ...initialValues, kind });
      await invalidate(queryClient, getProtection);
      toast.success(`${entryText({ kind, value: value.trim() })} added`);
    },
  });
  const { fields } = form;
  return (
    <Form form={form} label={`Add to the ${list} list`}>
      <div className={`${classes.add} grid grid-cols-1 items-start gap-3`}>
        <NativeSelect
          label="Kind"
          autoFocus
          data={LIST_KINDS.map((value) => ({ value, label: KIND_NAMES[value] }))}
          {...form.field('kind')}
          onChange={({ currentTarget }) => {
            const kind = currentTarget.value as ListKind;
            fields.setValues({ kind, value: valueAfter(fields.values.kind, kind, fields.values.value) });
          }}
        />
        <DestinationInput kind={fields.values.kind} {...form.field('value')} />
        <TextInput label="Note" autoComplete="off" maxLength={100} {...form.field('note')} />
        <NativeSelect label="Valid" data={validity} {...form.field('days')} />
        <SubmitButton form={form} busy="Adding..." variant="default">
          Add
        </SubmitButton>
      </div>
    </Form>
  );
}

function EntryRow({ list, entry, onRemoved }: { list: ListName; entry: ListEntry; onRemoved: () => void }) {
  usePhoneFormat();
  const remove = useAction({
    run: () => call(removeListEntry, { body: { list, kind: entry.kind, value: entry.value } }),
    success: `${entryText(entry)} removed`,
    failure: 'Failed to remove the entry',
    refresh: [getProtection],
    done: onRemoved,
  });
  const isOver = entry.expires_at !== null && Date.parse(entry.expires_at) <= nowMs();
  const details = [
    KIND_NAMES[entry.kind],
    entry.note,
    entry.expires_at === null ? null : `${isOver ? 'ended' : 'until'} ${shortDateTime(entry.expires_at)}`,
    `added ${shortDateTime(entry.created_at)}`,
  ].filter((detail) => detail !== null && detail !== '');
  return (
    <DestinationRow name={entryText(entry)} note={details.join(' · ')} isOver={isOver}>
      {useMay()('removeListEntry') ? (
        <TipIcon
          color="red"
          className="flex-none"
          label={`Remove ${entryText(entry)}`}
          aria-disabled={remove.isPending}
          onClick={() => {
            if (!remove.isPending) remove.mutate();
          }}
        >
          <IconTrash size={18} stroke={1.75} aria-hidden />
        </TipIcon>
      ) : null}
    </DestinationRow>
  );
}

interface RowProps {
  name: ReactNode;
  /** below the name */
  note: ReactNode;
  isOver?: boolean;
  /** a button */
  children: ReactNode;
}

export const DestinationRow = ({ name, note, isOver, children }: RowProps) => (
  <li className="flex items-center justify-between gap-x-4 gap-y-2 border-t border-line py-2.5 first:border-t-0 last:pb-0">
    <div className="grid min-w-0 gap-[0.1rem]">
      <span
        className={`flex flex-wrap items-center gap-x-2 gap-y-1 font-550 wrap-anywhere ${isOver ? 'line-through' : ''}`}
      >
        {name}
      </span>
      <span className="text-13 text-ink-soft">{note}</span>
    </div>
    {children}
  </li>
);
