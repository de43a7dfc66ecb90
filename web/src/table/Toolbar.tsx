import type { ReactNode } from 'react';
import classes from './table.module.css';

/** Search, filters, then tools. Wraps on narrow screens. */
export const Toolbar = ({
  search,
  children,
  tools,
  isLong = false,
}: {
  search: ReactNode;
  children?: ReactNode;
  /** small buttons that belong to the list */
  tools?: ReactNode;
  /** the search needs most of a row for its placeholder */
  isLong?: boolean;
}) => (
  <div
    className={`${classes.toolbar} mb-3.5 flex flex-wrap gap-2.5`}
    data-toolbar=""
    data-long={isLong || undefined}
  >
    <div className={classes.search}>{search}</div>
    {children ? (
      <div className={`${classes.filters} flex min-w-0 flex-wrap gap-2.5 [&_select]:pe-6`} data-filters="">
        {children}
      </div>
    ) : null}
    {tools ? <div className={`${classes.tools} ms-auto flex gap-2 empty:hidden`}>{tools}</div> : null}
  </div>
);
