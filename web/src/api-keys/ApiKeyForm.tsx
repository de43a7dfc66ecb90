import { Input, NativeSelect, Textarea, TextInput } from '@mantine/core';
import {
  API_KEY_NAME_MESSAGE,
  API_SCOPES,
  type ApiKey,
  type ApiScope,
  createApiKey,
  type KeyMode,
  listApiKeys,
  type NewApiKey,
  updateApiKey,
} from '@sixdigit/contract/api-keys.ts';
import { call } from '../api/call.ts';
import { AdvancedSettings } from '../form/AdvancedSettings.tsx';
import type { BodyForm } from '../form/Form.tsx';
import { FormDialog } from '../form/FormDialog.tsx';
import { Checkbox } from '../ui/Checkbox.ts';
import { PROOF_OPTIONS } from '../ui/proof-modes.ts';
import { isFree } from './KeyCells.tsx';
import classes from './KeyFields.module.css';
import { KeyLimits, ModeInput } from './KeyFields.tsx';
import { bodyOfKey, type KeyValues, NEW_KEY, valuesOfKey } from './key-values.ts';
import { TwilioClient } from './TwilioClient.tsx';

interface Dialog {
  opened: boolean;
  onClose: () => void;
}

const initialValues = { name: '', mode: 'live' as KeyMode, ...NEW_KEY };

/** Asks for a name and passes the new key to `onCreated`. The key cannot be read again. */
export const CreateApiKey = ({ onCreated, ...dialog }: Dialog & { onCreated: (key: NewApiKey) => void }) => (
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
        about={`scopes, expiry, networks${isTest ? '' : ', limit'}, proof, note`}
      >
        <KeySettings form={form} isFree={isTest} />
      </AdvancedSettings>
    </>
  );
}

/** Changes a key's settings, but not its mode or secret. */
export const EditApiKey = ({ apiKey, ...dialog }: Dialog & { apiKey: ApiKey | undefined }) => (
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

const scopeTexts: Record<ApiScope, { label: string; description: string }> = {
  'otp:send': { label: 'Send', description: 'Send and cancel codes' },
  'otp:verify': { label: 'Verify', description: 'Check the codes that users enter' },
  'otp:read': { label: 'Read', description: 'Read statuses and check destinations' },
  'otp:own_code': { label: 'Own codes', description: 'Send codes that your own system makes' },
  'events:read': {
    label: 'Follow events',
    description: 'Follow all keys’ requests and webhooks as they happen',
  },
  'verify_services:write': {
    label: 'Verify services',
    description: 'Change live services, rate limits and the safe list of Twilio Verify’s calls',
  },
  'limits:write': { label: 'Limits', description: 'Read and change the limits that sends name' },
  'templates:write': { label: 'Templates', description: 'List and change templates' },
  'recipients:write': {
    label: 'Recipients',
    description: 'Change known recipients and suppressed email addresses',
  },
};

const scopeClasses = { labelWrapper: classes.scope ?? '', description: classes.meaning ?? '' };

/** The settings that limit what a stolen key can do. */
// biome-ignore lint/suspicious/noExplicitAny: the forms differ in their other fields and their response
function KeySettings({ form, isFree }: { form: BodyForm<any, any>; isFree: boolean }) {
  const fields = form.fields as BodyForm<KeyValues & Record<string, unknown>>['fields'];
  const { scopes } = fields.values;
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: Mantine's wrapper names the group */}
      <div role="group" aria-label="Scopes" className="grid gap-2">
        <span className="text-14 font-550">Scopes</span>
        {API_SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            {...scopeTexts[scope]}
            classNames={scopeClasses}
            checked={scopes.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              fields.setFieldValue(
                'scopes',
                (checked ? [...scopes, scope] : scopes.filter((one) => one !== scope)) as never,
              )
            }
          />
        ))}
        {fields.errors.scopes ? <Input.Error role="alert">{fields.errors.scopes}</Input.Error> : null}
      </div>
      <KeyLimits form={form} thing="key" isFree={isFree} />
      <NativeSelect
        label="Require proof of work"
        description={`For sends with this key.${isFree ? '' : ' The stricter of this and the account’s setting counts.'}`}
        data={PROOF_OPTIONS}
        {...form.field('require_proof')}
      />
      <Textarea
        label="Note"
        description="For your reference, such as where the key is stored."
        autosize
        minRows={1}
        maxRows={4}
        {...form.field('note')}
      />
    </>
  );
}
