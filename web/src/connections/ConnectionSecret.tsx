import { Button } from '@mantine/core';
import { type Connection, listConnections } from '@sixdigit/contract/connection-list.ts';
import {
  type NewConnection as Created,
  OVERLAP_HOURS,
  rotateConnection,
} from '@sixdigit/contract/connections.ts';
import { SYSTEM_LABELS } from '@sixdigit/contract/system-labels.ts';
import { call } from '../api/call.ts';
import { RotateSecretDialog } from '../form/RotateSecretDialog.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { NamedValues } from '../ui/NamedValues.tsx';
import { RevealSecretDialog, useRevealed } from '../ui/RevealSecretDialog.tsx';
import { CreateConnection } from './ConnectionForm.tsx';
import { placeOf } from './connections.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  onTest: (connection: Created) => void;
}

/** Connects a system, and shows its secret once. */
export function NewConnection({ opened, onClose, onTest }: Props) {
  const { revealed, reveal, dialog } = useRevealed<Created>();
  return (
    <>
      <CreateConnection
        opened={opened}
        onClose={onClose}
        onCreated={(connection) => {
          onClose();
          reveal(connection);
        }}
      />
      <RevealConnection created={revealed} title="Your New Connection" onTest={onTest} {...dialog} />
    </>
  );
}

const validHours = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '24 hours' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
];

/** Gives a connection a new secret, and shows it once. */
export function RotateConnection({
  connection,
  opened,
  onClose,
  onTest,
}: Props & { connection: Connection | undefined }) {
  const { revealed, reveal, dialog } = useRevealed<Created>();
  const { id = '', system, previous_secret_until } = connection ?? {};
  return (
    <>
      <RotateSecretDialog
        opened={opened}
        onClose={onClose}
        of={connection}
        title="Rotate Connection Secret"
        confirm="Rotate Secret"
        about={`The connection gets a new secret, which is shown once. Its address and settings do not change.${
          previous_secret_until
            ? ` The secret from before the last rotation, valid until ${shortDateTime(previous_secret_until)}, stops working immediately.`
            : ''
        }`}
        field="valid_hours"
        byDefault={OVERLAP_HOURS.default}
        choices={validHours}
        hint={system && `Allow enough time to enter the new secret in ${placeOf(system)}.`}
        schema={rotateConnection.body}
        submit={(body) => call(rotateConnection, { params: { id }, body })}
        failure="Failed to rotate the secret"
        refresh={[listConnections]}
        onRotated={(rotated) => {
          onClose();
          reveal(rotated);
        }}
      />
      <RevealConnection created={revealed} title="Your New Secret" onTest={onTest} {...dialog} />
    </>
  );
}

interface RevealProps extends Props {
  created: Created | undefined;
  title: string;
  onClosed: () => void;
}

/** Shows the settings to enter in the system, with the secret, once. */
function RevealConnection({ created, onTest, ...dialog }: RevealProps) {
  const { name, system, previous_secret_until, settings = [] } = created ?? {};
  const place = system && placeOf(system);
  return (
    <RevealSecretDialog
      {...dialog}
      description={system && `${name}, ${SYSTEM_LABELS[system]}`}
      warning={
        system === 'zitadel' ? (
          <ol className="m-0 ps-5 text-14">
            <li>In Zitadel, add a provider with its endpoint below. Zitadel returns a signingKey.</li>
            <li>Enter the key here: in the menu of the connection, choose Edit Connection.</li>
            <li>In Zitadel, activate the provider.</li>
          </ol>
        ) : (
          `This is the only time you will see the secret below. Enter it in ${place} now. If you lose it, rotate the secret.`
        )
      }
      done="I've Copied the Settings"
      action={
        <Button
          variant="default"
          onClick={() => {
            dialog.onClose();
            if (created) onTest(created);
          }}
        >
          Test Connection
        </Button>
      }
    >
      {previous_secret_until ? (
        <p className="mt-4 mb-0 text-14 text-ink-soft">
          The old secret stays valid until {shortDateTime(previous_secret_until)}.
        </p>
      ) : null}
      <div className="mt-5">
        <NamedValues title={`Settings to enter in ${place}`} rows={settings} />
      </div>
    </RevealSecretDialog>
  );
}
