import type { CSSProperties, ReactNode } from 'react';
import classes from './Facts.module.css';

/** Names with their values, one a line, as in the sheets of details. */
export const Facts = ({ nameWidth, children }: { nameWidth: string; children: ReactNode }) => (
  <dl className={classes.facts} style={{ '--name-width': nameWidth } as CSSProperties}>
    {children}
  </dl>
);

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
