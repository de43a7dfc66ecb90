import { Alert, Button } from '@mantine/core';
import { IconShieldLock } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { CopyButton } from './CopyButton.tsx';
import { Dialog, DialogActions } from './Dialog.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  /** drops the secret */
  onClosed: () => void;
  title: string;
  description?: ReactNode;
  /** that it is shown only once, and what to do with it */
  warning: ReactNode;
  /** undefined if the children show it */
  secret?: string | undefined;
  /** what to do with it next */
  children?: ReactNode;
  /** a button before the last one */
  action?: ReactNode;
  /** of the button that closes the dialog */
  done: string;
}

/** Shows a new secret once. The button that copies it has the focus. */
export const RevealSecretDialog = ({ warning, secret, children, action, done, ...dialog }: Props) => (
  <Dialog {...dialog} size="lg" closesOnClickOutside={false}>
    {typeof warning === 'string' ? (
      <Alert color="orange" variant="light" title="Security notice" icon={<IconShieldLock aria-hidden />}>
        {warning}
      </Alert>
    ) : (
      warning
    )}
    {secret === undefined ? null : (
      <div className="my-4 flex items-center gap-3 rounded-10 border border-line bg-sunken py-2 ps-4 pe-2 max-sm:flex-col max-sm:items-stretch max-sm:p-3">
        <code className="min-w-0 flex-1 font-mono text-14 wrap-anywhere select-all">{secret}</code>
        <CopyButton value={secret} label="Copy" withText withToast isFirst />
      </div>
    )}
    {children}
    <DialogActions>
      {action}
      <Button onClick={dialog.onClose}>{done}</Button>
    </DialogActions>
  </Dialog>
);

/** A new secret, from its creation until its dialog has closed. */
export function useRevealed<T>() {
  const [revealed, setRevealed] = useState<T>();
  const [opened, setOpened] = useState(false);
  return {
    revealed,
    reveal: (secret: T): void => {
      setRevealed(secret);
      setOpened(true);
    },
    dialog: { opened, onClose: () => setOpened(false), onClosed: () => setRevealed(undefined) },
  };
}
