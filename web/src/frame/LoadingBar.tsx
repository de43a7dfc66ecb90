import { useRouterState } from '@tanstack/react-router';
import classes from './LoadingBar.module.css';

/** Below the header while a screen loads for longer than a moment. */
export function LoadingBar() {
  const isLoading = useRouterState({ select: ({ status }) => status === 'pending' });
  return isLoading ? (
    <div className={classes.bar} role="progressbar" aria-label="Loading the screen" />
  ) : null;
}
