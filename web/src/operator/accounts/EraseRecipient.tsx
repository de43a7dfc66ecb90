import { TextInput } from '@mantine/core';
import { eraseRecipient } from '@sixdigit/contract/operator/erasures.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { Form, SubmitButton } from '../../form/Form.tsx';
import { useBodyForm } from '../../form/useBodyForm.ts';
import { Panel } from '../../ui/Panel.tsx';
import classes from '../Operator.module.css';
import { ERASURES, erasures } from '../operator.ts';
import { ReasonDialog } from '../ReasonDialog.tsx';
import { useIsAdmin } from '../useIsAdmin.ts';
import { Erasures } from './Erasures.tsx';

/** Erases a recipient from all accounts, and shows the erasures. Support sees only the list. */
export function EraseRecipient() {
  const isAdmin = useIsAdmin();
  const query = useQuery(erasures);
  if (!isAdmin && (query.data?.count ?? 0) === 0) return null;
  return (
    <Panel
      title="Erase a recipient"
      description="For a privacy request: removes a phone number or an email address from all accounts, in every spelling. Amounts and the opt-out remain."
    >
      {isAdmin ? <RecipientForm /> : null}
      <Erasures query={query} />
    </Panel>
  );
}

function RecipientForm() {
  const queryClient = useQueryClient();
  const [recipient, setRecipient] = useState('');
  const [isAsking, setAsking] = useState(false);
  const [hasAccount, setHasAccount] = useState(false);
  const form = useBodyForm({
    schema: eraseRecipient.body.pick({ recipient: true }),
    initialValues: { recipient: '' },
    submit: async (body) => body,
    failure: 'The recipient could not be erased',
    onSuccess: (body) => {
      setRecipient(body.recipient);
      setAsking(true);
    },
  });
  return (
    <>
      <Form form={form} label="Erase a recipient">
        <TextInput
          className={classes.short ?? ''}
          label="Phone number or email address"
          placeholder="+1 415 555 2671"
          autoComplete="off"
          {...form.fields.getInputProps('recipient')}
        />
        <div>
          <SubmitButton form={form} color="red" variant="light">
            Erase
          </SubmitButton>
        </div>
      </Form>
      {hasAccount ? (
        <p className={classes.soft} role="status">
          An account of this service has this address or number. It stays until you erase it under Accounts.
        </p>
      ) : null}
      <ReasonDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Erase Recipient"
        description={`${recipient} is removed from the verifications, logs and texts of all accounts, and its waiting messages are not sent. This cannot be undone.`}
        schema={eraseRecipient.body.pick({ reason: true })}
        confirm="Erase Recipient"
        isDangerous
        success="The erasure has begun"
        submit={async ({ reason }) => {
          const { accounts } = await call(eraseRecipient, { body: { recipient, reason } });
          form.fields.reset();
          await queryClient.invalidateQueries({ queryKey: ERASURES });
          setHasAccount(accounts > 0);
        }}
      />
    </>
  );
}
