import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import classes from './OnThisPage.module.css';

interface Props {
  sections: readonly { id: string; title: string }[];
  /** in one line at every width; otherwise beside the sections on wide screens */
  asStrip?: boolean;
}

/** Links to the sections of a long screen. Marks the one that is being read. */
export function OnThisPage({ sections, asStrip }: Props) {
  const active = useActive(sections);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    if (active && nav.current) showInStrip(nav.current, active);
  }, [active]);
  return (
    <nav
      ref={nav}
      className={`${classes.nav} overflow-x-auto ${asStrip ? 'min-w-0 flex-1' : classes.beside}`}
      aria-label="On this page"
    >
      <ul className="m-0 flex w-[max-content] list-none gap-1 p-0">
        {sections.map(({ id, title }) => (
          <li key={id} aria-current={id === active ? 'location' : undefined}>
            <Link
              className="block rounded-8 text-14 text-ink-soft no-underline touch:grid touch:min-h-11 touch:items-center"
              to="."
              hash={id}
              search={true}
              activeOptions={{ includeHash: true }}
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Scrolls the strip sideways. `scrollIntoView` would scroll the page too. */
function showInStrip(nav: HTMLElement, id: string): void {
  const link = nav.querySelector(`a[href$="#${id}"]`);
  if (!link || nav.scrollWidth <= nav.clientWidth) return;
  const middle = (element: Element): number => {
    const { left, width } = element.getBoundingClientRect();
    return left + width / 2;
  };
  nav.scrollBy({ left: middle(link) - middle(nav) });
}

/** The last section whose beginning has passed the upper third of the window; at the end of the page, the last one. */
function useActive(sections: Props['sections']): string | undefined {
  const [active, setActive] = useState(sections[0]?.id);
  useEffect(() => {
    const look = (): void => {
      const { scrollHeight } = document.documentElement;
      const isAtEnd = window.scrollY > 0 && window.scrollY + window.innerHeight >= scrollHeight - 2;
      const passed = sections.filter(({ id }) => {
        const top = document.getElementById(id)?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY;
        return top < window.innerHeight / 3;
      });
      setActive((isAtEnd ? sections : passed).at(-1)?.id ?? sections[0]?.id);
    };
    look();
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, [sections]);
  return active;
}
