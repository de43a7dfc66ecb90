import { type ReactNode, Suspense } from 'react';
import { useSeen } from './seen.ts';

/** A lazy part far down a screen: its code loads when its place comes near the part that is shown. */
export function Near({ children }: { children: ReactNode }) {
  const { ref, isSeen } = useSeen<HTMLParagraphElement>('300px');
  const loading = (
    <p className="m-0 min-h-48 text-ink-soft" role="status" ref={ref}>
      Loading...
    </p>
  );
  return <Suspense fallback={loading}>{isSeen ? children : loading}</Suspense>;
}
