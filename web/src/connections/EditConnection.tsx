import { TextInput } from '@mantine/core';
import { type Connection, listConnections } from '@sixdigit/contract/connection-list.ts';
import { CONNECTION_NAME_MESSAGE, updateConnection } from '@sixdigit/contract/connections.ts';
import { SYSTEM_LABELS } from '@sixdigit/contract/system-labels.ts';
import { call } from '../api/call.ts';
import { valuesOfLimits } from '../api-keys/key-values.ts';
import { isFree } from '../api-keys/SpentToday.tsx';
import { FormDialog } from '../form/FormDialog.tsx';
import { NamedValues } from '../ui/NamedValues.tsx';
import { PasswordInput } from '../ui/PasswordInput.ts';
import {
  bodyOfSettings,
  type ConnectionValues,
  LimitFields,
  MessageFields,
  PatternField,
} from './ConnectionFields.tsx';
import { KINDS } from './connections.ts';

interface Props {
  connection: Connection | undefined;
  opened: boolean;
  onClose: () => void;
}

const valuesOf = (connection: Connection): ConnectionValues => ({
  message: connection.message ?? '',
  language: connection.language ?? '',
  code_pattern: connection.code_pattern ?? '',
  code_expires_in: connection.code_expires_in === null ? '' : String(connection.code_expires_in),
  ...valuesOfLimits(connection),
});

/** Changes a connection's settings, but not its system or mode. */
export const EditConnection = ({ connection, ...dialog }: Props) => (
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
        {connection ? <MessageFields form={form} system={connection.system} /> : null}
        {connection ? <PatternField form={form} system={connection.system} /> : null}
        <LimitFields form={form} isFree={connection !== undefined && isFree(connection)} />
        {connection ? (
          <NamedValues
            title={connection.endpoints.length === 1 ? 'Address' : 'Addresses'}
            rows={connection.endpoints.map(({ kind, url }) => ({ name: KINDS[kind], value: url }))}
          />
        ) : null}
      </>
    )}
  </FormDialog>
);
