import { type ReactNode, Suspense, useEffect, useState } from 'react';

interface Props {
  opened: boolean;
  /** a lazy dialog */
  children: (opened: boolean) => ReactNode;
}

/** Brings a dialog's code when it is opened for the first time; it stays, so that it can fade away. */
export function OnceOpened({ opened, children }: Props) {
  const [wasOpened, setWasOpened] = useState(opened);
  if (opened && !wasOpened) setWasOpened(true);
  return <Suspense>{wasOpened ? <AfterMounting opened={opened}>{children}</AfterMounting> : null}</Suspense>;
}

/** A dialog gives the focus back only if it was there, closed, before it opened. */
function AfterMounting({ opened, children }: Props) {
  const [isMounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return children(opened && isMounted);
}
