import { Alert, Button } from '@mantine/core';
import type { NewConnection } from '@sixdigit/contract/connections.ts';
import { SYSTEM_LABELS } from '@sixdigit/contract/system-labels.ts';
import { IconShieldLock } from '@tabler/icons-react';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { NamedValues } from '../ui/NamedValues.tsx';
import { placeOf } from './connections.ts';

interface Props {
  created: NewConnection | undefined;
  isRotated: boolean;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
  onTest: (connection: NewConnection) => void;
}

/** Shows the settings to enter in the system, with the secret, once. The parent must drop them in `onClosed`. */
export const RevealConnection = ({ created, isRotated, opened, onClose, onClosed, onTest }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    onClosed={onClosed}
    title={isRotated ? 'Your New Secret' : 'Your New Connection'}
    description={created ? `${created.name}, ${SYSTEM_LABELS[created.system]}` : undefined}
    size="lg"
    closesOnClickOutside={false}
  >
    {created ? (
      <>
        {created.system === 'zitadel' ? (
          <ol className="m-0 ps-5 text-14">
            <li>In Zitadel, add a provider with its endpoint below. Zitadel returns a signingKey.</li>
            <li>Enter the key here: in the menu of the connection, choose Edit Connection.</li>
            <li>In Zitadel, activate the provider.</li>
          </ol>
        ) : (
          <Alert color="orange" variant="light" title="Security notice" icon={<IconShieldLock aria-hidden />}>
            This is the only time you will see the secret below. Enter it in {placeOf(created.system)} now. If
            you lose it, rotate the secret.
          </Alert>
        )}
        {created.previous_secret_until ? (
          <p className="mt-4 mb-0 text-14 text-ink-soft">
            The old secret stays valid until {shortDateTime(created.previous_secret_until)}.
          </p>
        ) : null}
        <div className="mt-5">
          <NamedValues title={`Settings to enter in ${placeOf(created.system)}`} rows={created.settings} />
        </div>
        <DialogActions>
          <Button variant="default" onClick={() => onTest(created)}>
            Test Connection
          </Button>
          <Button onClick={onClose}>I've Copied the Settings</Button>
        </DialogActions>
      </>
    ) : null}
  </Dialog>
);
