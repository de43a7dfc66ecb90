import { type ComponentProps, lazy, type ReactNode, Suspense, useEffect, useState } from 'react';

interface Props {
  opened: boolean;
  /** a lazy dialog */
  children: (opened: boolean) => ReactNode;
}

/** Loads a dialog's code when it first opens and keeps it mounted, so that it can animate closing. */
export function OnceOpened({ opened, children }: Props) {
  const [wasOpened, setWasOpened] = useState(opened);
  if (opened && !wasOpened) setWasOpened(true);
  return <Suspense>{wasOpened ? <AfterMounting opened={opened}>{children}</AfterMounting> : null}</Suspense>;
}

/** Mounts the dialog closed first, so that it can animate opening. */
function AfterMounting({ opened, children }: Props) {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return children(opened && isMounted);
}

const ConfirmDialog = lazy(async () => ({ default: (await import('./Dialog.tsx')).ConfirmDialog }));

/** A `ConfirmDialog` whose code loads when it first opens. */
export const LazyConfirmDialog = ({ opened, ...props }: ComponentProps<typeof ConfirmDialog>) => (
  <OnceOpened opened={opened}>{(isOpen) => <ConfirmDialog opened={isOpen} {...props} />}</OnceOpened>
);
