import { useIntersection } from '@mantine/hooks';
import { type ReactNode, Suspense, useState } from 'react';

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

/** Whether an element has been on the screen, or as near to it as `margin` ('300px'). It stays seen. */
export function useSeen<T extends HTMLElement>(margin = '0px') {
  const { ref, entry } = useIntersection<T>({ rootMargin: margin });
  const [isSeen, setSeen] = useState(false);
  if (entry?.isIntersecting && !isSeen) setSeen(true);
  return { ref: isSeen ? undefined : ref, isSeen };
}
