import { Button } from '@mantine/core';
import { useId, useState } from 'react';
import classes from './RouteError.module.css';

/** Replaces a screen that threw an error. */
export function RouteError({ error }: { error: unknown }) {
  const [isShown, setShown] = useState(false);
  const id = useId();
  return (
    <div className={classes.box} role="alert">
      <div className={classes.head}>
        <h1>Something went wrong!</h1>
        <Button
          size="compact-sm"
          variant="default"
          aria-expanded={isShown}
          aria-controls={id}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? 'Hide Error' : 'Show Error'}
        </Button>
      </div>
      <pre id={id} className={classes.error} hidden={!isShown}>
        {error instanceof Error ? error.message : String(error)}
      </pre>
    </div>
  );
}
