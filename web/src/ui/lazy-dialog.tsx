import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';

// biome-ignore lint/suspicious/noExplicitAny: dialogs differ in their other properties
type Dialog = (props: any) => ReactNode;

/** A dialog, with `opened`, whose code loads when it first opens. It stays mounted, so that it can animate closing. */
export function lazyDialog<D extends Dialog>(load: () => Promise<D>): D {
  const Loaded = lazy(async () => ({ default: await load() }));
  /** Mounts the dialog closed first, so that it can animate opening. */
  const Mounted: Dialog = ({ opened, ...props }) => {
    const [isMounted, setMounted] = useState(false);
    useEffect(() => setMounted(true), []);
    return <Loaded {...props} opened={opened && isMounted} />;
  };
  const OnceOpened: Dialog = (props) => {
    const [wasOpened, setWasOpened] = useState(props.opened);
    if (props.opened && !wasOpened) setWasOpened(true);
    return <Suspense>{wasOpened ? <Mounted {...props} /> : null}</Suspense>;
  };
  return OnceOpened as D;
}

export const LazyConfirmDialog = lazyDialog(async () => (await import('./Dialog.tsx')).ConfirmDialog);
export const LazyActionDialog = lazyDialog(async () => (await import('./Dialog.tsx')).ActionDialog);
