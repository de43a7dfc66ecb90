import { useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { RouteError } from './RouteError.tsx';
import { isMissingCode } from './unreachable.ts';

/** The error box of the router. Missing code is loaded with the page, which may be of a newer version. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queryClient = useQueryClient();
  const retry = useCallback(() => {
    if (isMissingCode(error)) {
      window.location.reload();
      return;
    }
    // The screen that failed must not meet the same data again.
    queryClient.removeQueries({ type: 'inactive' });
    reset();
    void router.invalidate();
  }, [error, reset, router, queryClient]);
  return <RouteError error={error} onRetry={retry} />;
}
