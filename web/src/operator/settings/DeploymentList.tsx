import { Button, NativeSelect } from '@mantine/core';
import { reason } from '@sixdigit/contract/operator/operator.ts';
import { updateOperatorProtection } from '@sixdigit/contract/operator/protection.ts';
import {
  type DeploymentRules,
  LIST_KINDS,
  type ListEntry,
  ListEntryBody,
  type ListKind,
  type ListName,
} from '@sixdigit/contract/protection/protection.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { call } from '../../api/call.ts';
import { store } from '../../api/read.ts';
import { FormDialog } from '../../form/FormDialog.tsx';
import { entryText, KIND_NAMES } from '../../protection/block-texts.ts';
import { DestinationInput, valueAfter } from '../../protection/DestinationInput.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { usePhoneFormat } from '../../ui/phone-numbers.ts';
import { useAsked } from '../asked.ts';
import { operatorProtection } from '../operator.ts';
import { ReasonDialog, ReasonInput } from '../ReasonDialog.tsx';
import { Note, Row, Rows, RowText } from '../Rows.tsx';

interface Props {
  list: ListName;
  state: DeploymentRules;
  isAdmin: boolean;
}

export const TEXTS = {
  deny: {
    title: 'Denied everywhere',
    description: 'Sends that match are blocked in every account.',
    add: 'Deny Everywhere',
  },
  allow: {
    title: 'Allowed everywhere',
    description: 'Exempt from the rules across all accounts.',
    add: 'Allow Everywhere',
  },
} as const;

const FORMATS: Record<ListKind, string | undefined> = {
  number: 'With the country code.',
  prefix: 'The first digits of phone numbers, with the country code.',
  address: 'An address or a network.',
  country: undefined,
};

/** An allow or deny list for all accounts. A change replaces the version that the operator has seen. */
export function DeploymentList({ list, state, isAdmin }: Props) {
  usePhoneFormat();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<ListEntry>();
  const [isRemoving, setRemoving] = useState(false);
  useAsked(isAdmin ? [list] : [], () => setAdding(true));
  const queryClient = useQueryClient();
  const entries = state[list];
  const replace = async (next: readonly z.input<typeof ListEntryBody>[], why: string) => {
    const body = { [list]: next, updated_at: state.updated_at, reason: why };
    const saved = await call(updateOperatorProtection, { body });
    await store(queryClient, operatorProtection, saved);
  };
  return (
    <Panel
      title={TEXTS[list].title}
      description={TEXTS[list].description}
      actions={
        isAdmin ? (
          <Button
            variant="default"
            aria-label={`Add to: ${TEXTS[list].title}`}
            onClick={() => setAdding(true)}
          >
            Add
          </Button>
        ) : null
      }
    >
      {entries.length === 0 ? <Note>No entries.</Note> : null}
      <Rows>
        {entries.map((entry) => (
          <Row key={`${entry.kind} ${entry.value}`}>
            <RowText>
              {entryText(entry)}
              <small>{entry.note ?? KIND_NAMES[entry.kind]}</small>
            </RowText>
            {isAdmin ? (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`Remove ${entry.value}`}
                onClick={() => {
                  setRemoved(entry);
                  setRemoving(true);
                }}
              >
                Remove
              </Button>
            ) : null}
          </Row>
        ))}
      </Rows>
      <AddDialog
        opened={isAdding}
        onClose={() => setAdding(false)}
        title={TEXTS[list].add}
        isDangerous={list === 'deny'}
        description={TEXTS[list].description}
        submit={(entry, why) => replace([...entries, entry], why)}
      />
      <ReasonDialog
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove ${removed?.value ?? ''}`}
        description={TEXTS[list].title}
        schema={z.object({ reason })}
        confirm="Remove"
        success="Entry removed"
        submit={({ reason: why }) =>
          replace(
            entries.filter((entry) => entry !== removed),
            why,
          )
        }
      />
    </Panel>
  );
}

interface AddProps {
  opened: boolean;
  onClose: () => void;
  isDangerous: boolean;
  title: string;
  description: string;
  submit: (entry: z.input<typeof ListEntryBody>, reason: string) => Promise<void>;
}

const AddDialog = ({ submit, ...dialog }: AddProps) => (
  <FormDialog
    {...dialog}
    label="Add an entry"
    confirm={dialog.title}
    success="Entry added"
    form={{
      schema: ListEntryBody.pick({ kind: true, value: true }).extend({ reason }),
      initialValues: { kind: 'prefix' as ListKind, value: '', reason: '' },
      submit: ({ kind, value, reason: why }) => submit({ kind, value }, why),
      failure: 'Failed to add the entry',
    }}
  >
    {({ field, fields }) => (
      <>
        <NativeSelect
          label="Kind"
          data={LIST_KINDS.map((value) => ({ value, label: KIND_NAMES[value] }))}
          {...field('kind')}
          onChange={({ currentTarget }) => {
            const kind = currentTarget.value as ListKind;
            fields.setValues({ kind, value: valueAfter(fields.values.kind, kind, fields.values.value) });
          }}
        />
        <DestinationInput
          kind={fields.values.kind}
          description={FORMATS[fields.values.kind]}
          data-autofocus
          {...field('value')}
        />
        <ReasonInput {...field('reason')} />
      </>
    )}
  </FormDialog>
);
