import type { ReactNode } from 'react';
import classes from './Toolbar.module.css';

/** Search, filters, tools, then actions. Wraps on narrow screens. */
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
  /** further filters, in a row of their own */
  more?: ReactNode;
  actions?: ReactNode;
  /** the search needs most of a row for its placeholder */
  isLong?: boolean;
}) => (
  <div className={classes.toolbar} data-toolbar="" data-long={isLong || undefined}>
    <div className={classes.search}>{search}</div>
    {children ? (
      <div className={classes.filters} data-filters="">
        {children}
      </div>
    ) : null}
    {tools ? <div className={classes.tools}>{tools}</div> : null}
    {more ? <div className={classes.more}>{more}</div> : null}
    {actions ? <div className={classes.actions}>{actions}</div> : null}
  </div>
);
