import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog, DialogActions } from './Dialog.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** what will happen, in a sentence or two */
  children: ReactNode;
  confirm: string;
  onConfirm: () => void;
  isBusy?: boolean;
  /** after it has faded away */
  onClosed?: () => void;
  /** red: something is lost */
  isDangerous?: boolean;
}

/** Asks before doing. Cancel has the focus; the caller closes it when the work is done. */
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
        loading={props.isBusy ?? false}
        onClick={onConfirm}
      >
        {confirm}
      </Button>
    </DialogActions>
  </Dialog>
);
