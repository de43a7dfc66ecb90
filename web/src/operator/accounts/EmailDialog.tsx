import { Button, TextInput } from '@mantine/core';
import { listOperatorAccounts } from '@sixdigit/contract/operator/accounts.ts';
import { confirmEmailChange, requestEmailChange } from '@sixdigit/contract/operator/email-change.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/read.ts';
import { CodeInput } from '../../form/CodeInput.tsx';
import { Form, SubmitButton } from '../../form/Form.tsx';
import { useBodyForm } from '../../form/useBodyForm.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { toast } from '../../ui/toast.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  id: string;
  email: string;
}

/** Changes the address of an account in two steps: a code goes to the new address, and its owner reads it out. */
export function EmailDialog({ opened, onClose, ...account }: Props) {
  const [sent, setSent] = useState<Sent>();
  const close = () => {
    setSent(undefined);
    onClose();
  };
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title="Change Email"
      // A click beside the dialog must not lose the code on the phone.
      closesOnClickOutside={!sent}
      description={
        <>
          For the owner of <strong>{account.email}</strong> who has lost this mailbox. Make sure that you talk
          to the owner.
        </>
      }
    >
      {sent ? (
        <CodeStep id={account.id} onClose={close} {...sent} onAgain={() => setSent(undefined)} />
      ) : (
        <AddressStep id={account.id} onClose={close} onSent={setSent} />
      )}
    </Dialog>
  );
}

interface Sent {
  session_token: string;
  sent_to: string;
}

type StepProps = Omit<Props, 'opened' | 'email'>;

function AddressStep({ id, onClose, onSent }: StepProps & { onSent: (sent: Sent) => void }) {
  const form = useBodyForm({
    schema: requestEmailChange.body,
    initialValues: { email: '', reason: '' },
    submit: (body) => call(requestEmailChange, { params: { id }, body }),
    failure: 'The code could not be sent',
    onSuccess: onSent,
  });
  return (
    <Form form={form} label="Change Email">
      <TextInput
        label="New email address"
        type="email"
        autoComplete="off"
        data-autofocus
        {...form.field('email')}
      />
      <TextInput label="Reason" autoComplete="off" {...form.field('reason')} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton form={form} busy="Sending...">
          Send Code
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}

function CodeStep({
  id,
  onClose,
  onAgain,
  session_token,
  sent_to,
}: StepProps & Sent & { onAgain: () => void }) {
  const queryClient = useQueryClient();
  const form = useBodyForm({
    schema: confirmEmailChange.body,
    initialValues: { code: '' },
    toBody: ({ code }) => ({ code, session_token }),
    submit: (body) => call(confirmEmailChange, { params: { id }, body }),
    failure: 'The address could not be changed',
    onSuccess: () => {
      toast.success('Email address changed');
      onClose();
      void invalidate(queryClient, listOperatorAccounts);
    },
  });
  return (
    <Form form={form} label="Confirm the new email address">
      <p role="status" style={{ margin: 0 }}>
        A code was sent to {sent_to}. Ask the owner to read it out. With the right code, the address changes
        and all sessions of the account end.
      </p>
      <CodeInput label="Code" autoFocus {...form.field('code')} />
      <DialogActions>
        <Button variant="default" onClick={onAgain}>
          Start Again
        </Button>
        <SubmitButton form={form} busy="Changing...">
          Change Email
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
