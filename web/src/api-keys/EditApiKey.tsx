import { Button, TextInput } from '@mantine/core';
import { API_KEY_NAME_MESSAGE, type ApiKey, listApiKeys, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { invalidate } from '../api/read.ts';
import { Form, SubmitButton } from '../form/Form.tsx';
import { useBodyForm } from '../form/useBodyForm.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { toast } from '../ui/toast.ts';
import { KeySettings } from './KeySettings.tsx';
import { bodyOfKey, valuesOfKey } from './key-values.ts';

interface Props {
  apiKey: ApiKey | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Changes the settings of a key. Its mode and its secret stay. */
export const EditApiKey = ({ apiKey, opened, onClose }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    title="Edit API Key"
    description="A change holds from the next request on."
    size="md"
  >
    {apiKey ? <EditForm key={apiKey.id} apiKey={apiKey} onClose={onClose} /> : null}
  </Dialog>
);

function EditForm({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const queryClient = useQueryClient();
  const before = valuesOfKey(apiKey);
  const initialValues = { name: apiKey.name, ...before };
  const form = useBodyForm({
    schema: updateApiKey.body,
    initialValues,
    toBody: ({ name, ...settings }: typeof initialValues) => ({ name, ...bodyOfKey(settings, before) }),
    whenEmpty: { name: API_KEY_NAME_MESSAGE },
    submit: (body) => call(updateApiKey, { params: { id: apiKey.id }, body }),
    failure: 'Failed to change the API key',
    onSuccess: async () => {
      await invalidate(queryClient, listApiKeys);
      toast.success('API key changed');
      onClose();
    },
  });
  return (
    <Form form={form} label="Edit API Key">
      <TextInput label="Name" autoComplete="off" data-autofocus {...form.field('name')} />
      <KeySettings form={form} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton form={form} busy="Saving...">
          Save Changes
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
