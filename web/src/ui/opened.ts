import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useState } from 'react';

/**
 * The URL also names the dialog open above a list: `?otp=0199…`. Spread `...withOpened(list.routing, 'otp')` into the route's
 * options; `useOpened('otp')` reads and changes it.
 */
export const withOpened = <
  const R extends { validateSearch: (raw: never) => object },
  const N extends string,
>(
  routing: R,
  name: N,
) => ({
  ...routing,
  validateSearch: (
    raw: Parameters<R['validateSearch']>[0] & { [K in N]?: string },
  ): ReturnType<R['validateSearch']> & { [K in N]?: string } => {
    const opened = (raw as Record<string, unknown>)[name];
    return {
      ...routing.validateSearch(raw),
      ...(opened === undefined || opened === '' ? {} : { [name]: String(opened) }),
    } as ReturnType<R['validateSearch']> & { [K in N]?: string };
  },
});

/** "Back" closes the dialog. Closing it leaves no extra history entry. */
export function useOpened(name: string) {
  const opened = (useSearch({ strict: false }) as Record<string, string | undefined>)[name];
  const navigate = useNavigate();
  const show = useCallback(
    (id: string | undefined, replace: boolean): void => {
      void navigate({
        to: '.',
        search: (before) => ({ ...before, [name]: id }),
        replace,
        resetScroll: false,
      });
    },
    [navigate, name],
  );
  const open = useCallback((id: string) => show(id, false), [show]);
  const close = useCallback(() => show(undefined, true), [show]);
  return { opened, open, close };
}

/** For a list's dialogs: the row that they are about, which stays while its dialog closes, and which of them is open. */
export function useChosen<T, A extends string>() {
  const [row, setRow] = useState<T>();
  const [opened, setOpened] = useState<A>();
  return {
    row,
    opened,
    choose: (action: A, chosen: T): void => {
      setRow(chosen);
      setOpened(action);
    },
    close: (): void => setOpened(undefined),
  };
}
