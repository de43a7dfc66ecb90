import { useIntersection } from '@mantine/hooks';
import { useState } from 'react';

/** Whether an element has been on the screen, or as near to it as `margin` ('300px'). It stays seen. */
export function useSeen<T extends HTMLElement>(margin = '0px') {
  const { ref, entry } = useIntersection<T>({ rootMargin: margin });
  const [isSeen, setSeen] = useState(false);
  if (entry?.isIntersecting && !isSeen) setSeen(true);
  return { ref: isSeen ? undefined : ref, isSeen };
}
