import type { ReactNode } from 'react';
import classes from './Toolbar.module.css';

/** Search, filters, then actions. Wraps on narrow screens. */
export const Toolbar = ({
  search,
  children,
  actions,
}: {
  search: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}) => (
  <div className={classes.toolbar}>
    <div className={classes.search}>{search}</div>
    {children ? <div className={classes.filters}>{children}</div> : null}
    {actions ? <div className={classes.actions}>{actions}</div> : null}
  </div>
);
