import { TextInput } from '@mantine/core';
import {
  API_KEY_NAME_MESSAGE,
  createApiKey,
  type KeyMode,
  listApiKeys,
  type NewApiKey,
} from '@sixdigit/contract/api-keys.ts';
import { call } from '../api/call.ts';
import { AdvancedSettings } from '../form/AdvancedSettings.tsx';
import type { BodyForm } from '../form/Form.tsx';
import { FormDialog } from '../form/FormDialog.tsx';
import { KeySettings } from './KeySettings.tsx';
import { bodyOfKey, NEW_KEY } from './key-values.ts';
import { ModeInput } from './ModeInput.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  onCreated: (key: NewApiKey) => void;
}

const initialValues = { name: '', mode: 'live' as KeyMode, ...NEW_KEY };

/** Asks for a name and passes the new key to `onCreated`. The key cannot be read again. */
export const CreateApiKey = ({ onCreated, ...dialog }: Props) => (
  <FormDialog
    {...dialog}
    title="Create API Key"
    size="lg"
    confirm="Create API Key"
    busy="Creating..."
    refresh={[listApiKeys]}
    form={{
      schema: createApiKey.body,
      initialValues,
      toBody: ({ name, mode, ...settings }) => ({
        name,
        mode,
        ...bodyOfKey(mode === 'test' ? { ...settings, daily_credit_limit: '' } : settings, NEW_KEY),
      }),
      whenEmpty: { name: API_KEY_NAME_MESSAGE },
      submit: (body) => call(createApiKey, { body }),
      failure: 'Failed to create API key',
      onSuccess: onCreated,
    }}
  >
    {(form) => <Fields form={form} />}
  </FormDialog>
);

function Fields({ form }: { form: BodyForm<typeof initialValues> }) {
  const { fields } = form;
  const isTest = fields.values.mode === 'test';
  return (
    <>
      <TextInput
        label="Name"
        description="For example, the program or the environment that uses the key."
        placeholder="Production"
        autoComplete="off"
        data-autofocus
        {...form.field('name')}
      />
      <ModeInput mode={fields.values.mode} onChange={(mode) => fields.setFieldValue('mode', mode)} />
      <AdvancedSettings
        form={form}
        names={Object.keys(NEW_KEY)}
        about={`scopes, expiry, networks${isTest ? '' : ', limit'}, note`}
      >
        <KeySettings form={form} isFree={isTest} />
      </AdvancedSettings>
    </>
  );
}
