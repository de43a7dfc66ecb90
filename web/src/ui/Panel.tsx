import type { ReactNode } from 'react';
import classes from './Panel.module.css';

interface Props {
  /** to link to it */
  id?: string;
  title?: string;
  description?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** A titled card on a screen. */
export const Panel = ({ id, title, description, actions, children }: Props) => (
  <section id={id} className={classes.panel} aria-label={title}>
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
