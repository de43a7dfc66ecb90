import { useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { RouteError } from './RouteError.tsx';
import { isMissingCode } from './unreachable.ts';

/** The router's error component. If code is missing, it reloads the page, because a newer version may be deployed. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queryClient = useQueryClient();
  const retry = useCallback(() => {
    if (isMissingCode(error)) {
      window.location.reload();
      return;
    }
    // The failed screen must not get the same cached data again.
    queryClient.removeQueries({ type: 'inactive' });
    reset();
    void router.invalidate();
  }, [error, reset, router, queryClient]);
  return <RouteError error={error} onRetry={retry} />;
}
