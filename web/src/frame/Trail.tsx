import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Crumb } from './breadcrumbs.ts';

/** Breadcrumbs. Phones show the last one, tablets the last two. */
export const Trail = ({ crumbs }: { crumbs: readonly Crumb[] }) => (
  <nav aria-label="Breadcrumb" className="min-w-0 flex-1">
    <ol className="m-0 flex list-none items-center gap-[0.3rem] p-0 text-[0.90625rem]">
      {crumbs.map(({ label, path }, index) => {
        const fromEnd = crumbs.length - 1 - index;
        return (
          <li
            key={path}
            className={`flex min-w-0 items-center gap-[0.3rem] text-ink-soft ${hiddenOn(fromEnd)}`}
          >
            {index > 0 ? <IconChevronRight size={14} aria-hidden className={hiddenOn(fromEnd + 1)} /> : null}
            {fromEnd === 0 ? (
              <span className="truncate font-600 text-ink" aria-current="page">
                {label}
              </span>
            ) : (
              <Link to={path} className="truncate font-600 text-ink">
                {label}
              </Link>
            )}
          </li>
        );
      })}
    </ol>
  </nav>
);

/** An arrow is hidden with the breadcrumb before it. */
const hiddenOn = (fromEnd: number): string =>
  fromEnd === 0 ? '' : fromEnd === 1 ? 'max-md:hidden' : 'max-lg:hidden';
