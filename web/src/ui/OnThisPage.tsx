import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import classes from './OnThisPage.module.css';

interface Props {
  sections: readonly { id: string; title: string }[];
}

/** Links to the sections of a long screen. Marks the one that is being read. */
export function OnThisPage({ sections }: Props) {
  const active = useActive(sections);
  return (
    <nav className={classes.contents} aria-label="On this page">
      <ul>
        {sections.map(({ id, title }) => (
          <li key={id}>
            <Link
              to="."
              hash={id}
              search={true}
              activeOptions={{ includeHash: true }}
              data-reading={id === active || undefined}
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
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
