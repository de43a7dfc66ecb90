import { Button, Skeleton, TextInput } from '@mantine/core';
import {
  deleteKnownRecipients,
  getKnownRecipients,
  type KnownRecipients as Known,
  removeKnownRecipient,
} from '@sixdigit/contract/protection/known.ts';
import { getProtection, updateProtection } from '@sixdigit/contract/protection/protection.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../accounts/role.ts';
import { call } from '../../api/call.ts';
import { invalidate, read } from '../../api/read.ts';
import { toast } from '../../api/toast.ts';
import { Form, SaveButton, SubmitButton, useBodyForm } from '../../form/Form.tsx';
import { followed, useUnsaved } from '../../form/UnsavedChanges.tsx';
import { WholeNumberInput } from '../../form/WholeNumberInput.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { LazyActionDialog, lazyDialog } from '../../ui/lazy-dialog.tsx';
import { countOf } from '../../ui/numbers.ts';

const ImportDialog = lazyDialog(async () => (await import('./ImportDialog.tsx')).ImportDialog);

const known = read(getKnownRecipients, {}, { staleTime: 0 });
/** A day on which a recipient was last verified. */
const DAYS_SHOWN = 7;

/** The recipients whose codes pass the rules about others. */
export function KnownRecipients() {
  const query = useQuery(known);
  return (
    <Loaded
      query={query}
      failure="Failed to load the known recipients"
      waiting={<Skeleton height={12} width="6rem" my={5} radius="xl" />}
    >
      {(loaded) => <Panel loaded={loaded} />}
    </Loaded>
  );
}

function Panel({ loaded }: { loaded: Known }) {
  const may = useMay();
  const [dialog, setDialog] = useState<'import' | 'delete'>();
  const close = (): void => setDialog(undefined);
  const { count, days, known_days } = loaded;
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="m-0">
          <strong className="text-17 font-650 tabular-nums">{countOf(count, 'known recipient')}</strong>
          {known_days === 0 ? <span className="text-14 text-ink-soft"> The exemption is off.</span> : null}
        </p>
        {may('importKnownRecipients') ? (
          <div className="flex flex-wrap gap-2">
            <Button variant="default" disabled={known_days === 0} onClick={() => setDialog('import')}>
              Import
            </Button>
            {count > 0 ? (
              <Button variant="default" color="red" onClick={() => setDialog('delete')}>
                Delete All
              </Button>
            ) : null}
          </div>
        ) : null}
      </div>
      {days.length > 0 ? (
        <details>
          <summary className="cursor-pointer text-14 text-ink-soft">By day of the last verified code</summary>
          <ul className="mt-2 mb-0 list-none p-0 text-14" aria-label="Known recipients by day">
            {days.slice(0, DAYS_SHOWN).map((one) => (
              <li key={one.day} className="flex max-w-60 justify-between tabular-nums">
                <span>{one.day}</span> {one.count.toLocaleString('en-US')}
              </li>
            ))}
            {days.length > DAYS_SHOWN ? (
              <li className="flex max-w-60 justify-between tabular-nums">
                <span>Earlier</span>{' '}
                {days
                  .slice(DAYS_SHOWN)
                  .reduce((sum, one) => sum + one.count, 0)
                  .toLocaleString('en-US')}
              </li>
            ) : null}
          </ul>
        </details>
      ) : null}
      {may('updateProtection') ? <DaysForm known_days={known_days} /> : null}
      {may('removeKnownRecipient') ? <RemoveForm /> : null}
      <ImportDialog opened={dialog === 'import'} onClose={close} />
      <LazyActionDialog
        opened={dialog === 'delete'}
        onClose={close}
        title="Delete Known Recipients"
        confirm="Delete All"
        isDangerous
        of={loaded}
        run={deleteAll}
        success="Known recipients deleted"
        failure="Failed to delete the known recipients"
        refresh={[getKnownRecipients]}
      >
        <p className="m-0">
          Delete all {countOf(count, 'known recipient')}? The rules then treat them like unknown ones until
          their next code is verified. This cannot be undone.
        </p>
      </LazyActionDialog>
    </div>
  );
}

/** One call deletes a part. */
async function deleteAll(): Promise<void> {
  for (;;) if ((await call(deleteKnownRecipients, {})).is_complete) return;
}

function DaysForm({ known_days }: Pick<Known, 'known_days'>) {
  const queryClient = useQueryClient();
  const saved = { known_days: String(known_days) };
  const form = useBodyForm({
    schema: async () => (await import('@sixdigit/contract/protection/protection.ts')).updateProtection.body,
    initialValues: saved,
    toBody: (values: typeof saved) => ({ known_days: Number(values.known_days) }),
    submit: (body) => call(updateProtection, { body }),
    failure: 'Failed to save the days',
    onSuccess: async (changed, sent) => {
      await invalidate(queryClient, getProtection, getKnownRecipients);
      form.fields.setValues((now) => followed(now, sent, { known_days: String(changed.known_days) }));
      toast.success('Days saved');
    },
  });
  useUnsaved('Known recipients', form, saved);
  return (
    <Form form={form} label="Days of known recipients">
      <div className="flex flex-wrap items-end gap-3">
        <WholeNumberInput
          label="Known after the last verified code for"
          description="0 turns the exemption off and deletes the list."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          unit="days"
          fallback={known_days}
          {...form.field('known_days')}
        />
      </div>
      <SaveButton form={form}>Save Days</SaveButton>
    </Form>
  );
}

function RemoveForm() {
  const queryClient = useQueryClient();
  const form = useBodyForm({
    schema: async () => (await import('@sixdigit/contract/protection/known.ts')).removeKnownRecipient.body,
    initialValues: { recipient: '' },
    submit: (body) => call(removeKnownRecipient, { body }),
    failure: 'Failed to forget the recipient',
    onSuccess: async ({ removed }) => {
      await invalidate(queryClient, getKnownRecipients);
      form.fields.setValues({ recipient: '' });
      toast.success(removed ? 'The recipient is no longer known' : 'The recipient was not known');
    },
  });
  return (
    <Form form={form} label="Forget a recipient">
      <div className="flex flex-wrap items-end gap-3">
        <TextInput
          label="Forget one recipient"
          placeholder="+14155550100"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={320}
          {...form.field('recipient')}
        />
        <SubmitButton form={form} busy="Removing..." variant="default">
          Forget
        </SubmitButton>
      </div>
    </Form>
  );
}
