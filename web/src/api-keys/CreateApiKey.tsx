import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { API_KEY_NAME_MESSAGE, createApiKey, type NewApiKey } from '#contract/api-keys.ts';
import { call } from '../api/call.ts';
import { Form, SubmitButton } from '../form/Form.tsx';
import { useBodyForm } from '../form/useBodyForm.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { API_KEYS } from './api-keys.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  onCreated: (key: NewApiKey) => void;
}

/** Asks for a name and passes the new key to `onCreated`. The key cannot be read again. */
export const CreateApiKey = ({ opened, onClose, onCreated }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    title="Create API Key"
    description="A name to recognise it by, such as the program or the environment that uses it."
    size="md"
  >
    <NameForm onClose={onClose} onCreated={onCreated} />
  </Dialog>
);

function NameForm({ onClose, onCreated }: Omit<Props, 'opened'>) {
  const queryClient = useQueryClient();
  const form = useBodyForm({
    schema: createApiKey.body,
    initialValues: { name: '' },
    whenEmpty: { name: API_KEY_NAME_MESSAGE },
    submit: (body) => call(createApiKey, { body }),
    failure: 'Failed to create API key',
    onSuccess: (key) => {
      onCreated(key);
      void queryClient.invalidateQueries({ queryKey: API_KEYS });
    },
  });
  return (
    <Form form={form} label="Create API Key">
      <TextInput
        label="Name"
        placeholder="Production"
        autoComplete="off"
        data-autofocus
        {...form.fields.getInputProps('name')}
      />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton form={form} busy="Creating...">
          Create API Key
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
