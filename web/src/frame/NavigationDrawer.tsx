import { useEffect } from 'react';
import { openDialog } from '../ui/focus-return.ts';
import { Drawer } from '../ui/Modal.ts';
import { Sidebar } from './Sidebar.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** The sidebar on narrow screens. */
export function NavigationDrawer({ opened, onClose }: Props) {
  useEffect(() => (opened ? openDialog() : undefined), [opened]);
  return (
    <Drawer.Root
      opened={opened}
      onClose={onClose}
      size="18rem"
      classNames={{ content: 'bg-sunken' }}
      position="left"
      returnFocus={false}
    >
      <Drawer.Overlay backgroundOpacity={0.45} />
      <Drawer.Content aria-label="Navigation">
        <Sidebar isCollapsed={false} onChoose={onClose} />
        <Drawer.CloseButton aria-label="Close" className="absolute top-3 right-3" />
      </Drawer.Content>
    </Drawer.Root>
  );
}
