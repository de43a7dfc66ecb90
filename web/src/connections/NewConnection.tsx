import { NativeSelect, TextInput } from '@mantine/core';
import type { KeyMode } from '@sixdigit/contract/api-keys.ts';
import { listConnections, SYSTEMS, type SystemName } from '@sixdigit/contract/connection-list.ts';
import {
  CONNECTION_NAME_MESSAGE,
  type NewConnection as Created,
  createConnection,
} from '@sixdigit/contract/connections.ts';
import { SYSTEM_LABELS } from '@sixdigit/contract/system-labels.ts';
import { call } from '../api/call.ts';
import { ModeInput } from '../api-keys/ModeInput.tsx';
import { AdvancedSettings } from '../form/AdvancedSettings.tsx';
import type { BodyForm } from '../form/Form.tsx';
import { FormDialog } from '../form/FormDialog.tsx';
import {
  bodyOfSettings,
  LimitFields,
  MessageFields,
  NEW_SETTINGS,
  PatternField,
} from './ConnectionFields.tsx';
import { needsExpiry, needsMessage, needsPattern } from './connections.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  onCreated: (connection: Created) => void;
}

const initialValues = {
  system: 'supabase' as SystemName,
  name: '',
  mode: 'live' as KeyMode,
  ...NEW_SETTINGS,
};

const systems = SYSTEMS.map((system) => ({ value: system, label: SYSTEM_LABELS[system] }));

/** Connects a system and passes the connection with its secret, which cannot be read again, to `onCreated`. */
export const NewConnection = ({ onCreated, ...dialog }: Props) => (
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
        <PatternField form={form} system={system} />
        <LimitFields form={form} isFree={isTest} />
      </AdvancedSettings>
    </>
  );
}
