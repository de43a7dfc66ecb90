import { Alert, Button } from '@mantine/core';
import type { NewConnection } from '@sixdigit/contract/connections.ts';
import { IconShieldLock } from '@tabler/icons-react';
import { CopyButton } from '../ui/CopyButton.tsx';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { SecretValue } from '../ui/SecretValue.tsx';
import { SYSTEM_LABELS } from './connections.ts';

interface Props {
  created: NewConnection | undefined;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
  onTest: (connection: NewConnection) => void;
}

const KINDS = { sms: 'SMS', email: 'Email', voice: 'Voice' } as const;

/** Shows the secret and the settings to enter in the system once. The parent must drop them in `onClosed`. */
export const RevealConnection = ({ created, opened, onClose, onClosed, onTest }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    onClosed={onClosed}
    title="Your New Connection"
    description={created ? `${created.name}, ${SYSTEM_LABELS[created.system]}` : undefined}
    size="lg"
    closesOnClickOutside={false}
  >
    {created ? (
      <>
        <h3 className="mt-0 mb-2 text-14 font-600">Secret</h3>
        <SecretValue value={created.secret} />
        <Alert color="orange" variant="light" title="Security notice" icon={<IconShieldLock aria-hidden />}>
          This is the only time you will see this secret. Enter it in the system now. If you lose it, rotate
          the secret.
        </Alert>
        {created.previous_secret_until ? (
          <p className="mt-4 mb-0 text-14 text-ink-soft">
            The old secret stays valid until {shortDateTime(created.previous_secret_until)}.
          </p>
        ) : null}
        {created.system === 'zitadel' ? (
          <p className="mt-4 mb-0 text-14 text-ink-soft">
            Zitadel makes its own signing key. Add the provider with the address below, then enter its signing
            key under Edit Connection.
          </p>
        ) : null}
        <Copied
          title="Addresses"
          rows={created.endpoints.map(({ kind, url }) => ({ name: KINDS[kind], value: url }))}
        />
        <Copied title={`Settings to enter in ${SYSTEM_LABELS[created.system]}`} rows={created.settings} />
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

/** Named values, each with a copy button. */
const Copied = ({ title, rows }: { title: string; rows: readonly { name: string; value: string }[] }) => (
  <section aria-label={title}>
    <h3 className="mt-5 mb-2 text-14 font-600">{title}</h3>
    <ul className="m-0 grid list-none p-0 rounded-10 border border-line">
      {rows.map(({ name, value }) => (
        <li key={name} className="flex items-center gap-2 border-line py-2 ps-3.5 pe-2 not-first:border-t">
          <div className="min-w-0 flex-1">
            <span className="block text-13 wrap-anywhere text-ink-soft">{name}</span>
            <code className="font-mono text-13 wrap-anywhere">{value}</code>
          </div>
          <CopyButton value={value} label={`Copy ${name}`} withToast />
        </li>
      ))}
    </ul>
  </section>
);
