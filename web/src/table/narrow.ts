import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** Whether an element is narrower than `limit` pixels. It is measured before the first paint. */
export function useNarrow(limit: number): [RefObject<HTMLDivElement | null>, boolean] {
  const ref = useRef<HTMLDivElement>(null);
  const [isNarrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = (): void => setNarrow(element.clientWidth < limit);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [limit]);
  return [ref, isNarrow];
}
