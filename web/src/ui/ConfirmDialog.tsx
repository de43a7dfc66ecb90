import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { busyButton } from './busy-button.ts';
import { Dialog, DialogActions } from './Dialog.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** the consequences, in a sentence or two */
  children: ReactNode;
  confirm: string;
  onConfirm: () => void;
  isBusy?: boolean;
  /** called after the closing transition */
  onClosed?: () => void;
  /** red, for destructive actions */
  isDangerous?: boolean;
}

/** Asks for confirmation. Cancel has the focus. The caller closes it when the action has finished. */
export const ConfirmDialog = ({ opened, onClose, title, children, confirm, onConfirm, ...props }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    title={title}
    size="md"
    {...(props.onClosed && { onClosed: props.onClosed })}
  >
    {children}
    <DialogActions>
      <Button variant="default" onClick={onClose} data-autofocus>
        Cancel
      </Button>
      <Button
        {...(props.isDangerous && { color: 'red' })}
        {...busyButton(props.isBusy ?? false)}
        onClick={() => {
          if (!props.isBusy) onConfirm();
        }}
      >
        {confirm}
      </Button>
    </DialogActions>
  </Dialog>
);
