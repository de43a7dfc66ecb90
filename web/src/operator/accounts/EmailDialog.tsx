import { TextInput } from '@mantine/core';
import { listOperatorAccounts } from '@sixdigit/contract/operator/accounts.ts';
import { confirmEmailChange, requestEmailChange } from '@sixdigit/contract/operator/email-change.ts';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { CodeInput } from '../../form/CodeInput.tsx';
import { DialogForm } from '../../form/FormDialog.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { ReasonInput } from '../ReasonDialog.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  id: string;
  email: string;
}

/** Changes the account's email address in two steps: Sixdigit sends a code to the new address, and the owner reads it out. */
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
      // A click outside must not discard the code while the owner is on the phone.
      closesOnClickOutside={!sent}
      description={
        <>
          Use this if the owner has lost access to <strong>{account.email}</strong>. Make sure that you are
          talking to the owner.
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

const AddressStep = ({ id, onClose, onSent }: StepProps & { onSent: (sent: Sent) => void }) => (
  <DialogForm
    onClose={onClose}
    label="Change Email"
    confirm="Send Code"
    busy="Sending..."
    form={{
      schema: requestEmailChange.body,
      initialValues: { email: '', reason: '' },
      submit: (body) => call(requestEmailChange, { params: { id }, body }),
      failure: 'Failed to send the code',
      onSuccess: onSent,
    }}
  >
    {({ field }) => (
      <>
        <TextInput
          label="New email address"
          description="Sixdigit sends a code to it. Ask the owner to read the code out."
          type="email"
          autoComplete="off"
          data-autofocus
          {...field('email')}
        />
        <ReasonInput {...field('reason')} />
      </>
    )}
  </DialogForm>
);

type CodeProps = StepProps & Sent & { onAgain: () => void };

const CodeStep = ({ id, onClose, onAgain, session_token, sent_to }: CodeProps) => (
  <DialogForm
    onClose={onClose}
    label="Confirm the new email address"
    confirm="Change Email"
    busy="Changing..."
    back={{ label: 'Start Again', onClick: onAgain }}
    success="Email address changed"
    refresh={[listOperatorAccounts]}
    form={{
      schema: confirmEmailChange.body,
      initialValues: { code: '' },
      toBody: ({ code }) => ({ code, session_token }),
      submit: (body) => call(confirmEmailChange, { params: { id }, body }),
      failure: 'Failed to change the address',
    }}
  >
    {({ field }) => (
      <>
        <p role="status" style={{ margin: 0 }}>
          A code was sent to {sent_to}. Ask the owner to read it out. Once you enter the correct code, the
          address changes and all sessions of the account end.
        </p>
        <CodeInput label="Code" autoFocus {...field('code')} />
      </>
    )}
  </DialogForm>
);
