import { useIntersection } from '@mantine/hooks';
import { type ReactNode, Suspense, useState } from 'react';

/** A lazy part far down a screen: its code loads when the user scrolls near it. */
export function Near({ children }: { children: ReactNode }) {
  const { ref, isSeen } = useSeen<HTMLParagraphElement>('300px');
  const loading = (
    <p className="m-0 min-h-48 text-ink-soft" role="status" ref={ref}>
      Loading...
    </p>
  );
  return <Suspense fallback={loading}>{isSeen ? children : loading}</Suspense>;
}

/** Whether an element has ever been in view, or within `margin` of it ('300px'). */
export function useSeen<T extends HTMLElement>(margin = '0px') {
  const { ref, entry } = useIntersection<T>({ rootMargin: margin });
  const [isSeen, setSeen] = useState(false);
  if (entry?.isIntersecting && !isSeen) setSeen(true);
  return { ref: isSeen ? undefined : ref, isSeen };
}
