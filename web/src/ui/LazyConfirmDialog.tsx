import { type ComponentProps, lazy } from 'react';
import { OnceOpened } from './OnceOpened.tsx';

const ConfirmDialog = lazy(async () => ({ default: (await import('./ConfirmDialog.tsx')).ConfirmDialog }));

/** A `ConfirmDialog` whose code loads when it first opens. */
export const LazyConfirmDialog = ({ opened, ...props }: ComponentProps<typeof ConfirmDialog>) => (
  <OnceOpened opened={opened}>{(isOpen) => <ConfirmDialog opened={isOpen} {...props} />}</OnceOpened>
);
