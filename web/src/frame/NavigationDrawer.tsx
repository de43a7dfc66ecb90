import { Drawer } from '../ui/Modal.ts';
import { Sidebar } from './Sidebar.tsx';

/** The sidebar on narrow screens. */
export const NavigationDrawer = ({ opened, onClose }: { opened: boolean; onClose: () => void }) => (
  <Drawer.Root
    opened={opened}
    onClose={onClose}
    size="18rem"
    classNames={{ content: 'bg-sunken' }}
    position="left"
  >
    <Drawer.Overlay backgroundOpacity={0.45} />
    <Drawer.Content aria-label="Navigation">
      <Sidebar isCollapsed={false} onChoose={onClose} />
    </Drawer.Content>
  </Drawer.Root>
);
