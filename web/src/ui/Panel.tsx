import type { ReactNode } from 'react';
import classes from './Panel.module.css';

interface Props {
  title?: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A titled card on a screen. */
export const Panel = ({ title, description, actions, children }: Props) => (
  <section className={classes.panel} aria-label={title}>
    {title ? (
      <div className={classes.head}>
        <div>
          <h2>{title}</h2>
          {description ? <p>{description}</p> : null}
        </div>
        {actions}
      </div>
    ) : null}
    {children}
  </section>
);
