import { type ReactNode, useEffect } from 'react';
import classes from './Dialog.module.css';
import { useIsOnTop } from './dialog-stack.ts';
import { openDialog } from './focus-return.ts';
import { Drawer } from './Modal.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  side?: 'right' | 'left' | 'top' | 'bottom';
  size?: string;
  children?: ReactNode;
}

/** A panel that slides in over the screen. */
export function SideSheet({ opened, onClose, title, description, children, ...props }: Props) {
  useEffect(() => (opened ? openDialog() : undefined), [opened]);
  const isOnTop = useIsOnTop(opened);
  return (
    <Drawer.Root
      opened={opened}
      onClose={onClose}
      position={props.side ?? 'right'}
      size={props.size ?? '30rem'}
      returnFocus={false}
      closeOnEscape={isOnTop}
      transitionProps={{ duration: 160 }}
      // `className` of the content would also colour the layer that covers the screen
      classNames={{ content: classes.sheet ?? '' }}
    >
      <Drawer.Overlay backgroundOpacity={0.45} />
      <Drawer.Content>
        <div className={classes.head}>
          <div className={classes.naming}>
            <Drawer.Title className={classes.title}>{title}</Drawer.Title>
            {description ? (
              <p
                className={`${classes.description} ${classes.short}`}
                title={typeof description === 'string' ? description : undefined}
              >
                {description}
              </p>
            ) : null}
          </div>
          <Drawer.CloseButton aria-label="Close" className={classes.close} />
        </div>
        <Drawer.Body className={classes.body}>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
