import { useEffect, useState, useSyncExternalStore } from 'react';

/** The open dialogs, the topmost last. */
let stack: readonly object[] = [];
const listeners = new Set<() => void>();

const change = (next: readonly object[]): void => {
  stack = next;
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether no other dialog was opened after this one. Escape closes only the topmost dialog. */
export function useIsOnTop(opened: boolean): boolean {
  const [own] = useState(() => ({}));
  useEffect(() => {
    if (!opened) return;
    change([...stack, own]);
    return () => change(stack.filter((other) => other !== own));
  }, [opened, own]);
  return useSyncExternalStore(subscribe, () => !stack.includes(own) || stack.at(-1) === own);
}
