import type { ReactNode } from 'react';
import classes from './Docs.module.css';

export const Chapter = ({ id, title, children }: { id: string; title: string; children: ReactNode }) => (
  <section id={id} className={classes.chapter} aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>{title}</h2>
    {children}
  </section>
);

interface BesideProps {
  sample: ReactNode;
  children: ReactNode;
  /** prose that comes after the sample where there is one column */
  more?: ReactNode;
}

/** Prose with its sample: below each other, or beside each other where there is room. The sample stays in view. */
export const Beside = ({ sample, children, more }: BesideProps) => (
  <div className={classes.beside}>
    <div className={classes.prose}>{children}</div>
    <div className={classes.sample}>{sample}</div>
    {more ? <div className={classes.prose}>{more}</div> : null}
  </div>
);
