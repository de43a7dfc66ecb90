import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useId, useState } from 'react';
import { isServiceReachable, reloadPage } from '../api/connection.ts';
import { tabData } from '../api/site-data.ts';
import { isMissingCode, isUnreachable } from './unreachable.ts';

interface Props {
  error: unknown;
  /** renders the screen again */
  onRetry: () => void;
}

const PROBE_MS = 3_000;

/** Replaces a screen that threw an error. If the service was unreachable, it retries as soon as the service responds. */
export function RouteError({ error, onRetry }: Props) {
  const [isShown, setShown] = useState(false);
  const id = useId();
  useEffect(() => {
    if (!isUnreachable(error)) return;
    const retry = async (): Promise<void> => {
      if (await isServiceReachable()) onRetry();
    };
    if (isFirstMiss(error)) void retry();
    const probing = setInterval(() => void retry(), PROBE_MS);
    return () => clearInterval(probing);
  }, [error, onRetry]);
  return (
    <div
      className="mx-auto my-6 max-w-184 rounded-12 border border-(color:--mantine-color-red-outline) bg-surface px-5 py-4 text-ink"
      role="alert"
    >
      <div className="flex items-center justify-between gap-4">
        <h1 className="m-0 text-17 font-650">Something went wrong!</h1>
        <div className="flex gap-2">
          <Button
            size="compact-sm"
            variant="default"
            aria-expanded={isShown}
            aria-controls={id}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? 'Hide Error' : 'Show Error'}
          </Button>
          <Button size="compact-sm" onClick={onRetry}>
            Retry
          </Button>
        </div>
      </div>
      <pre
        id={id}
        className="mt-[0.9rem] mb-0 rounded-8 bg-sunken px-[0.9rem] py-3 font-mono text-13 wrap-anywhere whitespace-pre-wrap text-red"
        hidden={!isShown}
      >
        {error instanceof Error ? error.message : String(error)}
      </pre>
    </div>
  );
}

/** Usually a newer version is deployed, which a reload gets at once. */
function isFirstMiss(error: unknown): boolean {
  if (!isMissingCode(error)) return false;
  const name = `reloaded for ${(error as Error).message}`;
  if (tabData.get(name) !== null) return false;
  return tabData.set(name, '1');
}

/** The router's error component. If code is missing, it reloads the page, because a newer version may be deployed. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queryClient = useQueryClient();
  const retry = useCallback(() => {
    if (isMissingCode(error)) {
      void reloadPage();
      return;
    }
    // The failed screen must not get the same cached data again.
    queryClient.removeQueries({ type: 'inactive' });
    reset();
    void router.invalidate();
  }, [error, reset, router, queryClient]);
  return <RouteError error={error} onRetry={retry} />;
}
