import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

/** Scrolls a line of links to the one of the open page. `isShown`: whether the line is on the screen yet. */
export function useTabInView(isShown = true): RefObject<HTMLUListElement | null> {
  const pathname = useLocation({ select: (location) => location.pathname });
  const tabs = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the open page decides which link is active
  useEffect(() => {
    const list = tabs.current;
    const active = list?.querySelector('[data-status="active"]')?.getBoundingClientRect();
    if (!list || !active) return;
    const frame = list.getBoundingClientRect();
    list.scrollLeft += active.left - frame.left - (frame.width - active.width) / 2;
  }, [pathname, isShown]);
  return tabs;
}
