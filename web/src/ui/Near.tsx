import { type ReactNode, Suspense } from 'react';
import classes from './Near.module.css';
import { useSeen } from './seen.ts';

/** A lazy part far down a screen: its code loads when its place comes near the part that is shown. */
export function Near({ children }: { children: ReactNode }) {
  const { ref, isSeen } = useSeen<HTMLParagraphElement>('300px');
  const loading = (
    <p className={classes.loading} role="status" ref={ref}>
      Loading...
    </p>
  );
  return <Suspense fallback={loading}>{isSeen ? children : loading}</Suspense>;
}
