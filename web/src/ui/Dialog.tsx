import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Dialog.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** false while something must not be lost by a click beside the dialog, or by Escape */
  closesOnClickOutside?: boolean;
  /** after it has faded away: what it showed can be forgotten */
  onClosed?: () => void;
  children?: ReactNode;
}

/**
 * Every dialog of the product. Focus goes to the element with `data-autofocus`, else to the first control, and
 * back to where it was. A plain div heads it: the library's own `<header>` would be a second banner.
 */
export const Dialog = ({ opened, onClose, title, description, size = 'md', children, ...props }: Props) => (
  <Modal.Root
    opened={opened}
    onClose={onClose}
    size={size}
    centered
    classNames={{ content: classes.content ?? '' }}
    closeOnClickOutside={props.closesOnClickOutside ?? true}
    closeOnEscape={props.closesOnClickOutside ?? true}
    {...(props.onClosed && { onExitTransitionEnd: props.onClosed })}
    transitionProps={{ transition: 'pop', duration: 120 }}
  >
    <Modal.Overlay backgroundOpacity={0.45} blur={2} />
    <Modal.Content>
      <div className={classes.head}>
        <div>
          <Modal.Title className={classes.title}>{title}</Modal.Title>
          {description ? <p className={classes.description}>{description}</p> : null}
        </div>
        <Modal.CloseButton aria-label="Close" />
      </div>
      <Modal.Body className={classes.body}>{children}</Modal.Body>
    </Modal.Content>
  </Modal.Root>
);

/** The buttons at the end of a dialog, the one that does it last. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className={classes.actions}>{children}</div>
);
