import { TextInput } from '@mantine/core';
import {
  eraseRecipient,
  listRecipientErasures,
  type RecipientErasure,
} from '@sixdigit/contract/operator/erasures.ts';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/read.ts';
import { Form, SubmitButton, useBodyForm } from '../../form/Form.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { countOf, percentOf } from '../../ui/numbers.ts';
import { Panel } from '../../ui/Panel.tsx';
import { RecipientText } from '../../ui/RecipientText.tsx';
import { useAsked } from '../asked.ts';
import classes from '../Operator.module.css';
import { erasures, useIsAdmin } from '../operator.ts';
import { ReasonDialog } from '../ReasonDialog.tsx';
import { Note, Row, Rows, RowText } from '../Rows.tsx';

/** Erases a recipient from all accounts, and lists the erasures. Support operators see only the list. */
export function EraseRecipient() {
  const isAdmin = useIsAdmin();
  const query = useQuery(erasures);
  if (!isAdmin && (query.data?.count ?? 0) === 0) return null;
  return (
    <Panel
      title="Erase a recipient"
      description="Removes a phone number or an email address, in every spelling, from all accounts. Costs and opt-outs are kept."
    >
      <div className="grid grid-cols-1 gap-5">
        {isAdmin ? <RecipientForm /> : null}
        <Erasures query={query} />
      </div>
    </Panel>
  );
}

function RecipientForm() {
  const field = useRef<HTMLInputElement>(null);
  useAsked(['erase'], () => field.current?.focus());
  const queryClient = useQueryClient();
  const [recipient, setRecipient] = useState('');
  const [isAsking, setAsking] = useState(false);
  const [hasAccount, setHasAccount] = useState(false);
  const form = useBodyForm({
    schema: eraseRecipient.body.pick({ recipient: true }),
    initialValues: { recipient: '' },
    submit: async (body) => body,
    failure: 'Failed to erase the recipient',
    onSuccess: (body) => {
      setRecipient(body.recipient);
      setAsking(true);
    },
  });
  return (
    <div>
      <Form form={form} label="Erase a recipient">
        <div className={`${classes.lookUp} grid gap-3`}>
          <TextInput
            label="Phone number or email address"
            placeholder="+1 415 555 2671"
            inputMode="email"
            autoCapitalize="none"
            autoComplete="off"
            spellCheck={false}
            ref={field}
            {...form.field('recipient')}
          />
          <SubmitButton form={form} color="red" variant="outline">
            Erase
          </SubmitButton>
        </div>
      </Form>
      {hasAccount ? (
        <Note role="status">An account has this address or number. To erase it as well, go to Accounts.</Note>
      ) : null}
      <ReasonDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Erase Recipient"
        description={`${recipient} is removed from the verifications, logs and texts of all accounts, and its waiting messages are not sent. This cannot be undone.`}
        schema={eraseRecipient.body.pick({ reason: true })}
        confirm="Erase Recipient"
        isDangerous
        success="Erasure started"
        submit={async ({ reason }) => {
          const { accounts } = await call(eraseRecipient, { body: { recipient, reason } });
          form.fields.reset();
          await invalidate(queryClient, listRecipientErasures);
          setHasAccount(accounts > 0);
        }}
      />
    </div>
  );
}

type Page = { results: RecipientErasure[]; count: number };

/** Most services have no erasures. */
const NOTHING = <span />;

/** The latest erasures, with the progress of running ones. */
const Erasures = ({ query }: { query: UseQueryResult<Page> }) => (
  <Loaded query={query} failure="Failed to load the erasures" waiting={NOTHING}>
    {({ results }) =>
      results.length === 0 ? null : (
        <div>
          <h3 id="erasures" className="mt-0 mb-1 text-15">
            Latest erasures
          </h3>
          <Rows aria-labelledby="erasures" aria-live="polite">
            {results.map((erasure) => (
              <Row key={erasure.id}>
                <RowText>
                  <RecipientText recipient={erasure.recipient} isWhole />
                  <small>
                    {erasure.requested_by ?? 'Deleted operator'}, {shortDateTime(erasure.created_at)}
                  </small>
                </RowText>
                <State {...erasure} />
              </Row>
            ))}
          </Rows>
        </div>
      )
    }
  </Loaded>
);

const State = ({ ended_at, steps, steps_done, erased }: RecipientErasure) =>
  ended_at === null ? (
    <Badge tone="blue">{`Erasing, ${percentOf(steps_done, steps)}`}</Badge>
  ) : (
    <Badge tone="green">{`Erased, ${countOf(rowsOf(erased), 'row')}`}</Badge>
  );

const rowsOf = (erased: Record<string, number>): number =>
  Object.values(erased).reduce((sum, count) => sum + count, 0);
