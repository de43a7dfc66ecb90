import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import { signal } from '../api/signal.ts';

/** The operator console has its own navigation and no balance. Undefined below /operator until the user is known. */
export function useMode(): 'account' | 'console' | undefined {
  const isBelow = useLocation({ select: ({ pathname }) => /^\/operator(\/|$)/.test(pathname) });
  const { data: user } = useQuery(currentUser);
  if (!isBelow) return 'account';
  return user && (user.operator_role ? 'console' : 'account');
}

const frame = signal<typeof import('../operator/ConsoleFrame.tsx')>();

/** The console's navigation, breadcrumbs and palette, in one file that customers never load. */
export const loadConsole = async () => {
  const loaded = await import('../operator/ConsoleFrame.tsx');
  frame.set(loaded);
  return loaded;
};

/** Undefined until they have loaded. */
export const loadedConsole = frame.get;
