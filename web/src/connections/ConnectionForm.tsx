import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import type { KeyMode } from '@sixdigit/contract/api-keys.ts';
import {
  type Connection,
  listConnections,
  SYSTEMS,
  type SystemName,
} from '@sixdigit/contract/connection-list.ts';
import {
  CONNECTION_NAME_MESSAGE,
  type NewConnection as Created,
  createConnection,
  updateConnection,
} from '@sixdigit/contract/connections.ts';
import type { Language } from '@sixdigit/contract/languages.ts';
import { SYSTEM_LABELS } from '@sixdigit/contract/system-labels.ts';
import { call } from '../api/call.ts';
import { isFree } from '../api-keys/KeyCells.tsx';
import { KeyLimits, ModeInput } from '../api-keys/KeyFields.tsx';
import { bodyOfLimits, type LimitValues, NO_LIMITS, valuesOfLimits } from '../api-keys/key-values.ts';
import { AdvancedSettings } from '../form/AdvancedSettings.tsx';
import type { BodyForm } from '../form/Form.tsx';
import { FormDialog } from '../form/FormDialog.tsx';
import { WholeNumberInput } from '../form/WholeNumberInput.tsx';
import { labelOf } from '../ui/channel.ts';
import { LANGUAGE_CHOICES } from '../ui/display-names.ts';
import { NamedValues } from '../ui/NamedValues.tsx';
import { PasswordInput } from '../ui/PasswordInput.ts';
import { namesLanguage, needsExpiry, needsMessage, needsPattern, placeOf } from './connections.ts';

/** The field values of a connection's settings. */
interface ConnectionValues extends LimitValues {
  /** '' means the account's default */
  message: string;
  /** '' means the account's default text */
  language: Language | '';
  /** '' means none */
  code_pattern: string;
  /** in seconds; '' means the account's default */
  code_expires_in: string;
}

const NEW_SETTINGS: ConnectionValues = {
  message: '',
  language: '',
  code_pattern: '',
  code_expires_in: '',
  ...NO_LIMITS,
};

/** The settings in a request body. `before` is as for `bodyOfLimits`. */
const bodyOfSettings = (
  { message, language, code_pattern, code_expires_in, ...limits }: ConnectionValues,
  before: ConnectionValues,
) => ({
  message: message.trim() === '' ? null : message,
  language: language === '' ? null : language,
  code_pattern: code_pattern.trim() === '' ? null : code_pattern,
  code_expires_in: code_expires_in.trim() === '' ? null : Number(code_expires_in.replaceAll(',', '')),
  ...bodyOfLimits(limits, before),
});

const valuesOf = (connection: Connection): ConnectionValues => ({
  message: connection.message ?? '',
  language: connection.language ?? '',
  code_pattern: connection.code_pattern ?? '',
  code_expires_in: connection.code_expires_in === null ? '' : String(connection.code_expires_in),
  ...valuesOfLimits(connection),
});

interface Dialog {
  opened: boolean;
  onClose: () => void;
}

const initialValues = {
  system: 'supabase' as SystemName,
  name: '',
  mode: 'live' as KeyMode,
  ...NEW_SETTINGS,
};

const systems = SYSTEMS.map((system) => ({ value: system, label: SYSTEM_LABELS[system] }));

/** Connects a system and passes the connection with its secret, which cannot be read again, to `onCreated`. */
export const CreateConnection = ({
  onCreated,
  ...dialog
}: Dialog & { onCreated: (connection: Created) => void }) => (
  <FormDialog
    {...dialog}
    title="Create Connection"
    size="lg"
    description="You get an address and a secret to enter in that system."
    confirm="Create Connection"
    busy="Creating..."
    refresh={[listConnections]}
    form={{
      schema: createConnection.body,
      initialValues,
      toBody: ({ system, name, mode, message, language, code_pattern, code_expires_in, ...settings }) => ({
        system,
        name,
        mode,
        ...bodyOfSettings(
          {
            ...settings,
            message: needsMessage(system) ? message : '',
            language: needsMessage(system) ? language : '',
            code_pattern: needsPattern(system) ? code_pattern : '',
            code_expires_in: needsExpiry(system) ? code_expires_in : '',
            daily_credit_limit: mode === 'test' ? '' : settings.daily_credit_limit,
          },
          NEW_SETTINGS,
        ),
      }),
      whenEmpty: { name: CONNECTION_NAME_MESSAGE },
      submit: (body) => call(createConnection, { body }),
      failure: 'Failed to create the connection',
      onSuccess: onCreated,
    }}
  >
    {(form) => <Fields form={form} />}
  </FormDialog>
);

const aboutSettings = (system: SystemName, isTest: boolean): string =>
  [
    ...(needsMessage(system) ? ['message'] : []),
    ...(needsExpiry(system) ? ['code validity'] : []),
    ...(needsPattern(system) ? ['code pattern'] : []),
    isTest ? 'expiry, networks' : 'expiry, limit, networks',
  ].join(', ');

function Fields({ form }: { form: BodyForm<typeof initialValues> }) {
  const { fields } = form;
  const { system, mode } = fields.values;
  const isTest = mode === 'test';
  return (
    <>
      <NativeSelect label="System" data={systems} data-autofocus {...form.field('system')} />
      <TextInput label="Name" placeholder="Sign-in" autoComplete="off" {...form.field('name')} />
      <ModeInput mode={mode} onChange={(chosen) => fields.setFieldValue('mode', chosen)} />
      <AdvancedSettings form={form} names={Object.keys(NEW_SETTINGS)} about={aboutSettings(system, isTest)}>
        <MessageFields form={form} system={system} />
        <KeyLimits form={form} thing="connection" isFree={isTest} />
      </AdvancedSettings>
    </>
  );
}

/** Changes a connection's settings, but not its system or mode. */
export const EditConnection = ({
  connection,
  ...dialog
}: Dialog & { connection: Connection | undefined }) => (
  <FormDialog
    {...dialog}
    title="Edit Connection"
    size="lg"
    description={connection && `${SYSTEM_LABELS[connection.system]}. Changes apply from the next request.`}
    confirm="Save Changes"
    busy="Saving..."
    success="Connection changed"
    refresh={[listConnections]}
    formKey={connection?.id}
    form={
      connection && {
        schema: updateConnection.body,
        initialValues: { name: connection.name, secret: '', ...valuesOf(connection) },
        toBody: ({ name, secret, ...settings }) => ({
          name,
          ...(secret === '' ? {} : { secret }),
          ...bodyOfSettings(settings, valuesOf(connection)),
        }),
        whenEmpty: { name: CONNECTION_NAME_MESSAGE },
        submit: (body) => call(updateConnection, { params: { id: connection.id }, body }),
        failure: 'Failed to change the connection',
      }
    }
  >
    {(form) => (
      <>
        <TextInput label="Name" autoComplete="off" data-autofocus {...form.field('name')} />
        {connection?.system === 'zitadel' ? (
          <PasswordInput
            label="Signing keys"
            description="The signingKey of each provider, as Zitadel returned it. Separate two with a comma. Leave empty to keep the current ones."
            autoComplete="off"
            {...form.field('secret')}
          />
        ) : null}
        {connection ? (
          <>
            <MessageFields form={form} system={connection.system} />
            <KeyLimits form={form} thing="connection" isFree={isFree(connection)} />
            <NamedValues
              title={connection.endpoints.length === 1 ? 'Address' : 'Addresses'}
              rows={connection.endpoints.map(({ kind, url }) => ({ name: labelOf(kind), value: url }))}
            />
          </>
        ) : null}
      </>
    )}
  </FormDialog>
);

const languageChoices = [{ value: '', label: 'Account default' }, ...LANGUAGE_CHOICES];

interface FieldsProps {
  // biome-ignore lint/suspicious/noExplicitAny: the forms differ in their other fields and their response
  form: BodyForm<any, any>;
  system: SystemName;
}

/** The text, the validity and the pattern of the codes. */
const MessageFields = ({ form, system }: FieldsProps) => (
  <>
    {needsMessage(system) ? (
      <>
        <Textarea
          label="Message"
          description="With {code}, for requests that contain no text. Leave empty for a default message."
          placeholder="Your code is {code}"
          autosize
          minRows={2}
          maxRows={5}
          {...form.field('message')}
        />
        <NativeSelect
          label="Language"
          description={`For the default message and email subjects.${
            namesLanguage(system) ? ' If you choose one, requests can name another.' : ''
          }`}
          data={languageChoices}
          {...form.field('language')}
        />
      </>
    ) : null}
    {needsExpiry(system) ? (
      <WholeNumberInput
        label="Codes are valid for"
        description={`Enter the validity set in ${placeOf(system)}, 60 to 3600 seconds. Leave empty for the account's default.`}
        unit="seconds"
        fallback={undefined}
        {...form.field('code_expires_in')}
      />
    ) : null}
    {needsPattern(system) ? (
      <TextInput
        label="Code pattern"
        description="The text around the code, if messages contain other numbers. Leave empty if the code is the only number."
        placeholder="Your PIN is {code}."
        autoComplete="off"
        {...form.field('code_pattern')}
      />
    ) : null}
  </>
);
