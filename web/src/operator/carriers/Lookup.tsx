import { Button } from '@mantine/core';
import { LOOKUP_KIND_FACTS } from '@sixdigit/contract/operator/lookup-kinds.ts';
import { getLookup, type LookupSetup, removeLookup } from '@sixdigit/contract/operator/lookups.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { read, store } from '../../api/read.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { number } from '../Facts.tsx';
import { LIVE_MS } from '../operator.ts';
import { ReasonDialog } from '../ReasonDialog.tsx';
import { Details, Note, Row, Rows, RowText } from '../Rows.tsx';
import { Bar } from '../WaitingPanel.tsx';

const LookupForm = lazyDialog(async () => (await import('./LookupForm.tsx')).LookupForm);
const TestLookup = lazyDialog(async () => (await import('./TestLookup.tsx')).TestLookup);

/** It can pause at any time. */
export const lookup = read(getLookup, {}, { refetchInterval: LIVE_MS });

/** The look-up that tells what line a number is before a costly send. */
export function Lookup({ isAdmin }: { isAdmin: boolean }) {
  const query = useQuery(lookup);
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<'edit' | 'test' | 'delete'>();
  const dialog = (what: typeof open) => ({ opened: open === what, onClose: () => setOpen(undefined) });
  const setup = query.data?.lookup ?? undefined;
  const show = (reply: { lookup: LookupSetup | null }) => store(queryClient, lookup, reply);
  return (
    <Panel
      title="Number look-up"
      description="Tells the line type and the last SIM change of a number before a costly send, if an account’s rules ask for it."
      actions={
        isAdmin && query.data?.lookup === null ? (
          <Button variant="default" onClick={() => setOpen('edit')}>
            Set Up Look-up
          </Button>
        ) : undefined
      }
    >
      <Loaded query={query} failure="Failed to load the look-up" waiting={<Bar width="13rem" />}>
        {({ lookup: found }) =>
          found ? (
            <Rows>
              <Row>
                <RowText>
                  <span className="flex flex-wrap items-center gap-2">
                    <strong>{LOOKUP_KIND_FACTS[found.kind].label}</strong>
                    {found.is_enabled ? null : <Badge tone="orange">Off</Badge>}
                    {found.problem === null ? null : <Badge tone="red">Not used</Badge>}
                    {found.paused === null ? null : <Badge tone="red">Paused</Badge>}
                  </span>
                  <small>
                    <Details
                      texts={[
                        `${number(found.used_today)} of ${number(found.daily_limit)} look-ups today`,
                        `${number(found.account_daily_limit)} for an account`,
                        `answers kept for ${number(found.cache_hours)} h`,
                        `waits ${number(found.timeout_ms)} ms`,
                      ]}
                    />
                  </small>
                  {found.problem === null ? null : <small className="text-red">{found.problem}</small>}
                  {found.paused === null ? null : (
                    <small className="text-red">
                      {found.paused} A send tries it at most every ten seconds. Until it answers, sends pass
                      without an answer, or are refused.
                    </small>
                  )}
                </RowText>
                {isAdmin ? (
                  <span className="flex flex-wrap items-center gap-2.5">
                    {(['test', 'edit', 'delete'] as const).map((what) => (
                      <Button
                        key={what}
                        variant="default"
                        size="compact-sm"
                        aria-label={`${LABELS[what]} Look-up`}
                        onClick={() => setOpen(what)}
                      >
                        {LABELS[what]}
                      </Button>
                    ))}
                  </span>
                ) : null}
              </Row>
            </Rows>
          ) : (
            <Note>No look-up is set up. The rules on line types and SIM changes do nothing.</Note>
          )
        }
      </Loaded>
      <LookupForm {...dialog('edit')} setup={setup} onSaved={show} />
      <TestLookup {...dialog('test')} />
      <ReasonDialog
        {...dialog('delete')}
        title="Delete Look-up"
        description="Its credentials are deleted, and the rules of all accounts on line types and SIM changes do nothing. This cannot be undone."
        schema={removeLookup.body.pick({ reason: true })}
        confirm="Delete"
        isDangerous
        success="Look-up deleted"
        submit={async ({ reason }) => {
          if (setup) await show(await call(removeLookup, { body: { version: setup.version, reason } }));
        }}
      />
    </Panel>
  );
}

const LABELS = { test: 'Test', edit: 'Edit', delete: 'Delete' };
