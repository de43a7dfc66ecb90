import { useState } from 'react';

/** The last defined value, which a sheet or dialog shows while it closes, and a function that forgets it. */
export function useLastShown<T>(value: T | undefined): [shown: T | undefined, forget: () => void] {
  const [shown, setShown] = useState(value);
  if (value !== undefined && value !== shown) setShown(() => value);
  return [shown, () => setShown(undefined)];
}

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
