import type { ReactNode } from 'react';
import classes from './Docs.module.css';

export const Chapter = ({ id, title, children }: { id: string; title: string; children: ReactNode }) => (
  <section
    id={id}
    className={`${classes.chapter} rounded-12 border border-line bg-surface p-6 max-sm:p-4.5`}
    aria-labelledby={`${id}-title`}
  >
    <h2 id={`${id}-title`}>{title}</h2>
    {children}
  </section>
);

interface BesideProps {
  sample: ReactNode;
  children: ReactNode;
  /** prose after the sample on narrow screens */
  more?: ReactNode;
}

/** Prose with a sample: in two columns where there is room. The sample stays in view. */
export const Beside = ({ sample, children, more }: BesideProps) => (
  <div className={`${classes.beside} grid grid-cols-1 gap-4`}>
    <div className={classes.prose}>{children}</div>
    <div className={`${classes.sample} min-w-0`}>{sample}</div>
    {more ? <div className={classes.prose}>{more}</div> : null}
  </div>
);
