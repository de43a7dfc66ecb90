import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';

/**
 * Acts once if a link with one of these hashes opened the screen, such as the command palette's "Add a price". Removes the hash,
 * so that the same link works again.
 */
export function useAsked<Name extends string>(names: readonly Name[], act: (name: Name) => void): void {
  const hash = useLocation({ select: (location) => location.hash });
  const asked = names.find((name) => name === hash);
  const navigate = useNavigate();
  const run = useEffectEvent((name: Name) => {
    void navigate({ to: '.', search: true, hash: '', replace: true, resetScroll: false });
    act(name);
  });
  useEffect(() => {
    if (asked !== undefined) run(asked);
  }, [asked]);
}
