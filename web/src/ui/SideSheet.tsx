import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Dialog.module.css';

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
export const SideSheet = ({
  opened,
  onClose,
  title,
  description,
  side = 'right',
  size = '30rem',
  children,
}: Props) => (
  <Drawer.Root
    opened={opened}
    onClose={onClose}
    position={side}
    size={size}
    transitionProps={{ duration: 160 }}
  >
    <Drawer.Overlay backgroundOpacity={0.45} blur={2} />
    <Drawer.Content>
      <div className={classes.head}>
        <div>
          <Drawer.Title className={classes.title}>{title}</Drawer.Title>
          {description ? <p className={classes.description}>{description}</p> : null}
        </div>
        <Drawer.CloseButton aria-label="Close" />
      </div>
      <Drawer.Body className={classes.body}>{children}</Drawer.Body>
    </Drawer.Content>
  </Drawer.Root>
);
