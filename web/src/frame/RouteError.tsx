import { Button } from '@mantine/core';
import { useEffect, useId, useState } from 'react';
import { isServiceReachable } from '../api/connection.ts';
import classes from './RouteError.module.css';
import { isUnreachable } from './unreachable.ts';

interface Props {
  error: unknown;
  /** draws the screen again */
  onRetry: () => void;
}

const PROBE_MS = 3_000;

/** Replaces a screen that threw an error. If the service could not be reached, it retries as soon as it can. */
export function RouteError({ error, onRetry }: Props) {
  const [isShown, setShown] = useState(false);
  const id = useId();
  useEffect(() => {
    if (!isUnreachable(error)) return;
    const retry = async (): Promise<void> => {
      if (await isServiceReachable()) onRetry();
    };
    const probing = setInterval(() => void retry(), PROBE_MS);
    return () => clearInterval(probing);
  }, [error, onRetry]);
  return (
    <div className={classes.box} role="alert">
      <div className={classes.head}>
        <h1>Something went wrong!</h1>
        <div className={classes.buttons}>
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
      <pre id={id} className={classes.error} hidden={!isShown}>
        {error instanceof Error ? error.message : String(error)}
      </pre>
    </div>
  );
}
