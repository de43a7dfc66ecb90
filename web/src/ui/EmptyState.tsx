import type { ReactNode } from 'react';
import classes from './EmptyState.module.css';

interface Props {
  icon: ReactNode;
  title: string;
  /** explanation and next step */
  children: ReactNode;
  action?: ReactNode;
  /** a `<CodeBlock>` that works as pasted */
  snippet?: ReactNode;
}

export const EmptyState = ({ icon, title, children, action, snippet }: Props) => (
  <section className={classes.empty}>
    <div className={classes.icon} aria-hidden>
      {icon}
    </div>
    <h2 className={classes.title}>{title}</h2>
    <p className={classes.text}>{children}</p>
    {action ? <div className={classes.action}>{action}</div> : null}
    {snippet ? <div className={classes.snippet}>{snippet}</div> : null}
  </section>
);
