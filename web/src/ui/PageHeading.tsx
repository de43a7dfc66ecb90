import type { ReactNode } from 'react';
import classes from './PageHeading.module.css';

/** The h1 of a screen with its description and main action. */
export const PageHeading = ({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) => (
  <div className={classes.heading}>
    <div>
      <h1>{title}</h1>
      {children ? <p>{children}</p> : null}
    </div>
    {actions ? <div className={classes.actions}>{actions}</div> : null}
  </div>
);
