import { TextInput } from '@mantine/core';
import { API_KEY_NAME_MESSAGE, type ApiKey, listApiKeys, updateApiKey } from '@sixdigit/contract/api-keys.ts';
import { call } from '../api/call.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { KeySettings } from './KeySettings.tsx';
import { bodyOfKey, valuesOfKey } from './key-values.ts';
import { isFree } from './SpentToday.tsx';
import { TwilioClient } from './TwilioClient.tsx';

interface Props {
  apiKey: ApiKey | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Changes a key's settings, but not its mode or secret. */
export const EditApiKey = ({ apiKey, ...dialog }: Props) => (
  <FormDialog
    {...dialog}
    title="Edit API Key"
    size="lg"
    description="Changes apply from the next request."
    confirm="Save Changes"
    busy="Saving..."
    success="API key changed"
    refresh={[listApiKeys]}
    formKey={apiKey?.id}
    form={
      apiKey && {
        schema: updateApiKey.body,
        initialValues: { name: apiKey.name, ...valuesOfKey(apiKey) },
        toBody: ({ name, ...settings }) => ({ name, ...bodyOfKey(settings, valuesOfKey(apiKey)) }),
        whenEmpty: { name: API_KEY_NAME_MESSAGE },
        submit: (body) => call(updateApiKey, { params: { id: apiKey.id }, body }),
        failure: 'Failed to change the API key',
      }
    }
  >
    {(form) => (
      <>
        <TextInput label="Name" autoComplete="off" data-autofocus {...form.field('name')} />
        <KeySettings form={form} isFree={apiKey !== undefined && isFree(apiKey)} />
        {apiKey ? <TwilioClient apiKey={apiKey} /> : null}
      </>
    )}
  </FormDialog>
);
