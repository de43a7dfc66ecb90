import { useState } from 'react';

/** What a sheet or a dialog shows. It stays while the sheet slides away. */
export function useShown<T>() {
  const [shown, setShown] = useState<T>();
  const [isOpen, setOpen] = useState(false);
  const open = (one: T): void => {
    setShown(() => one);
    setOpen(true);
  };
  return { shown, isOpen, open, close: (): void => setOpen(false) };
}
