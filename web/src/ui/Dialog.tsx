import { type ReactNode, useEffect, useState } from 'react';
import classes from './Dialog.module.css';
import { useIsOnTop } from './dialog-stack.ts';
import { openDialog } from './focus-return.ts';
import { Modal } from './Modal.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** false while Escape or a click outside must not close the dialog */
  closesOnClickOutside?: boolean;
  /** called after the closing transition, when the content can be dropped */
  onClosed?: () => void;
  /** above other dialogs that stay open */
  zIndex?: number;
  children?: ReactNode;
}

/**
 * The base of every dialog. The focus moves to the element with `data-autofocus`, or else to the first control, and returns on
 * close (see focus-return.ts). The title is a plain div, because Mantine's `<header>` would be a second banner landmark.
 */
export function Dialog({ opened, onClose, title, description, size = 'md', children, ...props }: Props) {
  useEffect(() => (opened ? openDialog() : undefined), [opened]);
  const isOnTop = useIsOnTop(opened);
  // A click beside the dialog must not discard what was typed.
  const [isEdited, setEdited] = useState(false);
  if (!opened && isEdited) setEdited(false);
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      centered
      returnFocus={false}
      classNames={{ content: classes.content ?? '' }}
      closeOnClickOutside={(props.closesOnClickOutside ?? true) && !isEdited}
      closeOnEscape={isOnTop && (props.closesOnClickOutside ?? true)}
      {...(props.zIndex && { zIndex: props.zIndex })}
      {...(props.onClosed && { onExitTransitionEnd: props.onClosed })}
      transitionProps={{ transition: 'pop', duration: 120 }}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content onInput={() => setEdited(true)}>
        <div className={classes.head}>
          <div className={classes.naming}>
            <Modal.Title className={classes.title}>{title}</Modal.Title>
            {description ? <p className={classes.description}>{description}</p> : null}
          </div>
          <Modal.CloseButton aria-label="Close" className={classes.close} />
        </div>
        <Modal.Body className={classes.body}>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** The buttons of a dialog, the primary one last. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className={classes.actions}>{children}</div>
);
