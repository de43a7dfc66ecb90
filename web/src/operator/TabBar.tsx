import { createLink, useLocation } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react';
import classes from './Operator.module.css';

/** A line of links to pages, scrolled to the link of the open page. */
export function TabBar({ label, children }: { label: string; children: ReactNode }) {
  const pathname = useLocation({ select: (location) => location.pathname });
  const tabs = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the open page decides which link is active
  useEffect(() => {
    const list = tabs.current;
    const active = list?.querySelector('[data-status="active"]')?.getBoundingClientRect();
    if (!list || !active) return;
    const frame = list.getBoundingClientRect();
    list.scrollLeft += active.left - frame.left - (frame.width - active.width) / 2;
  }, [pathname]);
  return (
    <nav aria-label={label}>
      <ul
        ref={tabs}
        className={`${classes.tabs} mt-0 mb-6 flex list-none gap-1 border-b border-line px-0 pt-0 pb-2`}
      >
        {children}
      </ul>
    </nav>
  );
}

export const Tab = createLink((props: ComponentProps<'a'>) => (
  <li>
    <a
      {...props}
      className={`${classes.tab} flex items-center rounded-8 px-3 py-[0.45rem] text-14 font-550 whitespace-nowrap no-underline`}
    />
  </li>
));
