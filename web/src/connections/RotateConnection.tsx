import { NativeSelect } from '@mantine/core';
import { type Connection, listConnections } from '@sixdigit/contract/connection-list.ts';
import { type NewConnection, OVERLAP_HOURS, rotateConnection } from '@sixdigit/contract/connections.ts';
import { call } from '../api/call.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { placeOf } from './connections.ts';

interface Props {
  connection: Connection | undefined;
  opened: boolean;
  onClose: () => void;
  onRotated: (connection: NewConnection) => void;
}

const choices = [
  { value: '0', label: 'Not at all: it stops working immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
];

/** Gives a connection a new secret. The old one stays valid for some hours, so that the system can be changed. */
export const RotateConnection = ({ connection, onRotated, ...dialog }: Props) => (
  <FormDialog
    {...dialog}
    title="Rotate Connection Secret"
    description={connection?.name}
    confirm="Rotate Secret"
    busy="Rotating..."
    refresh={[listConnections]}
    formKey={connection?.id}
    form={
      connection && {
        schema: rotateConnection.body,
        initialValues: { valid_hours: String(OVERLAP_HOURS.default) },
        toBody: ({ valid_hours }) => ({ valid_hours: Number(valid_hours) }),
        submit: (body) => call(rotateConnection, { params: { id: connection.id }, body }),
        failure: 'Failed to rotate the secret',
        onSuccess: onRotated,
      }
    }
  >
    {({ field }) => (
      <>
        <p className="m-0 text-ink-soft">
          The connection gets a new secret, which is shown once. Its address and settings do not change.
          {connection?.previous_secret_until
            ? ` The secret from before the last rotation, valid until ${shortDateTime(connection.previous_secret_until)}, stops working immediately.`
            : ''}
        </p>
        <NativeSelect
          label="The current secret stays valid for"
          description={
            connection && `Allow enough time to enter the new secret in ${placeOf(connection.system)}.`
          }
          data={choices}
          data-autofocus
          {...field('valid_hours')}
        />
      </>
    )}
  </FormDialog>
);
