import type { ReactNode } from 'react';
import classes from './table.module.css';

/** Search with its actions, filters, then tools. Wraps on narrow screens. */
export const Toolbar = ({
  search,
  children,
  tools,
  more,
  actions,
  isLong = false,
}: {
  search: ReactNode;
  children?: ReactNode;
  /** small buttons that belong to the list */
  tools?: ReactNode;
  /** further filters, in a separate row */
  more?: ReactNode;
  /** reached by keyboard directly after the search */
  actions?: ReactNode;
  /** the search needs most of a row for its placeholder */
  isLong?: boolean;
}) => (
  <div
    className={`${classes.toolbar} mb-3.5 flex flex-wrap gap-2.5`}
    data-toolbar=""
    data-long={isLong || undefined}
  >
    <div className={classes.search}>{search}</div>
    {actions ? <div className={`${classes.actions} ms-auto flex gap-2 empty:hidden`}>{actions}</div> : null}
    {children ? (
      <div className={`${classes.filters} flex min-w-0 flex-wrap gap-2.5 [&_select]:pe-6`} data-filters="">
        {children}
      </div>
    ) : null}
    {tools ? (
      <div className={`${classes.tools} flex gap-2 empty:hidden ${actions && !more ? '' : 'ms-auto'}`}>
        {tools}
      </div>
    ) : null}
    {more ? (
      <div className="order-1 grid flex-[1_1_100%] grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] gap-2.5">
        {more}
      </div>
    ) : null}
  </div>
);
