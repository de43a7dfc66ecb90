import { Button, NativeSelect, Skeleton, TextInput } from '@mantine/core';
import {
  createLimit,
  deleteLimit,
  LIMITS_MAX,
  type Limit,
  listLimits,
  updateLimit,
} from '@sixdigit/contract/limits.ts';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useMay } from '../accounts/role.ts';
import { call } from '../api/call.ts';
import { invalidate, read } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { WholeNumberInput } from '../form/WholeNumberInput.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { LazyActionDialog } from '../ui/lazy-dialog.tsx';
import { PageLink } from '../ui/links.tsx';
import { useChosen } from '../ui/opened.ts';
import { TipIcon } from '../ui/TipIcon.tsx';
import { DestinationRow } from './DestinationList.tsx';
import { PERIODS, periodText } from './limit-periods.ts';

const limits = read(listLimits, {});

/** The limits that the account's sends name. */
export function Limits() {
  const query = useQuery(limits);
  const may = useMay();
  const [isAdding, setAdding] = useState(false);
  const region = useRef<HTMLDivElement>(null);
  const { row, opened, choose, close } = useChosen<Limit, 'edit' | 'delete'>();
  const isFull = (query.data?.count ?? 0) >= LIMITS_MAX;
  const done = (): void => {
    setAdding(false);
    close();
    region.current?.focus();
  };
  return (
    <>
      {may('createLimit') && !isFull && !isAdding ? (
        <Button variant="default" onClick={() => setAdding(true)}>
          Add Limit
        </Button>
      ) : null}
      {isFull && may('createLimit') ? (
        <p className="m-0 text-14 text-ink-soft">
          An account has at most {LIMITS_MAX} limits. Delete one to add another.
        </p>
      ) : null}
      {isAdding ? <LimitForm onDone={done} /> : null}
      {/* takes the focus when a form or the button of a deleted limit disappears */}
      <div ref={region} tabIndex={-1} className="not-first:mt-3 outline-offset-4">
        <Loaded
          query={query}
          failure="Failed to load the limits"
          waiting={<Skeleton height={12} width="6rem" my={5} radius="xl" />}
        >
          {({ results }) =>
            results.length === 0 ? (
              <p className="m-0 text-14 text-ink-soft">
                No limits.{' '}
                <PageLink to="/docs" hash="keys">
                  How sends name them
                </PageLink>
              </p>
            ) : (
              <ul className="m-0 list-none p-0" aria-label="Limits">
                {results.map((limit) =>
                  opened === 'edit' && row?.id === limit.id ? (
                    <li key={limit.id} className="border-t border-line py-3 first:border-t-0">
                      <p className="mt-0 mb-2 font-550 wrap-anywhere">{limit.name}</p>
                      <LimitForm limit={limit} onDone={done} />
                    </li>
                  ) : (
                    <DestinationRow key={limit.id} name={limit.name} note={noteOf(limit)}>
                      <span className="flex flex-none gap-1">
                        {may('updateLimit') ? (
                          <TipIcon label={`Edit ${limit.name}`} onClick={() => choose('edit', limit)}>
                            <IconPencil size={18} stroke={1.75} aria-hidden />
                          </TipIcon>
                        ) : null}
                        {may('deleteLimit') ? (
                          <TipIcon
                            color="red"
                            label={`Delete ${limit.name}`}
                            onClick={() => choose('delete', limit)}
                          >
                            <IconTrash size={18} stroke={1.75} aria-hidden />
                          </TipIcon>
                        ) : null}
                      </span>
                    </DestinationRow>
                  ),
                )}
              </ul>
            )
          }
        </Loaded>
      </div>
      <LazyActionDialog
        opened={opened === 'delete'}
        onClose={close}
        title="Delete Limit"
        confirm="Delete Limit"
        isDangerous
        of={row}
        run={({ id }) => call(deleteLimit, { params: { id } })}
        success="Limit deleted"
        failure="Failed to delete the limit"
        refresh={[listLimits]}
        done={done}
      >
        <p className="m-0 wrap-anywhere">
          Delete {row?.name}? Sends that name it are refused from then on, so remove it from your requests
          first.
        </p>
      </LazyActionDialog>
    </>
  );
}

const noteOf = ({ max_sends, period_seconds }: Limit): string =>
  `${max_sends.toLocaleString('en-US')} ${max_sends === 1 ? 'send' : 'sends'} per value in ${periodText(period_seconds)}`;

/** Adds a limit, or changes one. */
function LimitForm({ limit, onDone }: { limit?: Limit; onDone: () => void }) {
  const queryClient = useQueryClient();
  const form = useBodyForm({
    schema: async () => (await import('@sixdigit/contract/limits.ts')).createLimit.body,
    initialValues: {
      name: limit?.name ?? '',
      max_sends: String(limit?.max_sends ?? 5),
      period_seconds: String(limit?.period_seconds ?? 3600),
    },
    toBody: ({ name, max_sends, period_seconds }) => ({
      name: name.trim(),
      max_sends: Number(max_sends),
      period_seconds: Number(period_seconds),
    }),
    submit: ({ name, ...values }) =>
      limit
        ? call(updateLimit, { params: { id: limit.id }, body: values })
        : call(createLimit, { body: { name, ...values } }),
    failure: 'Failed to save the limit',
    onSuccess: async ({ name }) => {
      await invalidate(queryClient, listLimits);
      toast.success(`${name} ${limit ? 'changed' : 'added'}`);
      onDone();
    },
  });
  const own = Number(form.fields.values.period_seconds);
  const seconds = PERIODS.includes(own) ? PERIODS : [own, ...PERIODS];
  return (
    <Form form={form} label={limit ? `Change ${limit.name}` : 'Add a limit'}>
      <div className="grid grid-cols-1 items-start gap-3 sm:grid-cols-3">
        {limit ? null : (
          <TextInput
            label="Name"
            description="It cannot be changed later."
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            placeholder="signup-ip"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            {...form.field('name')}
          />
        )}
        <WholeNumberInput
          label="Sends"
          unit="per value"
          fallback={undefined}
          autoFocus={limit !== undefined}
          {...form.field('max_sends')}
        />
        <NativeSelect
          label="Period"
          description={limit ? 'With another one, values count anew.' : 'It begins with the first send.'}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={seconds.map((value) => ({ value: String(value), label: periodText(value) }))}
          {...form.field('period_seconds')}
        />
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <SubmitButton form={form} busy="Saving..." variant="default">
          {limit ? 'Save Limit' : 'Add'}
        </SubmitButton>
        <Button variant="subtle" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}
