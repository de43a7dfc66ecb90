import { Alert, Button, TextInput } from '@mantine/core';
import { testCarrier } from '@sixdigit/contract/operator/carriers.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { Form, SubmitButton } from '../../form/Form.tsx';
import { useBodyForm } from '../../form/useBodyForm.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  carrier: string;
  isPhone: boolean;
  submit: (recipient: string) => Promise<Reply<typeof testCarrier>>;
}

/** Sends a message without a code through one carrier and shows what the carrier answered. */
export const TestMessageDialog = (props: Props) => (
  <Dialog
    opened={props.opened}
    onClose={props.onClose}
    title={`Test ${props.carrier}`}
    description="Sends one message without a code, also while the carrier is paused."
  >
    <TestForm {...props} />
  </Dialog>
);

function TestForm({ onClose, isPhone, submit }: Props) {
  const form = useBodyForm({
    schema: testCarrier.body.pick({ recipient: true }),
    initialValues: { recipient: '' },
    submit: ({ recipient }) => submit(recipient),
    failure: 'The message could not be sent',
  });
  const { result } = form;
  return (
    <Form form={form} label="Test message">
      <TextInput
        label={isPhone ? 'Phone number' : 'Email'}
        placeholder={isPhone ? '+1 415 555 2671' : 'you@example.com'}
        autoComplete="off"
        data-autofocus
        {...form.fields.getInputProps('recipient')}
      />
      {result ? (
        <Alert
          color={result.outcome === 'accepted' ? 'green' : 'red'}
          title={`${result.outcome.charAt(0).toUpperCase()}${result.outcome.slice(1)} after ${result.ms} ms`}
        >
          {result.detail ?? result.provider_message_id ?? 'The carrier gave no id.'}
        </Alert>
      ) : null}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <SubmitButton form={form} busy="Sending...">
          Send Test Message
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
