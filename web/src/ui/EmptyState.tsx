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
  /** part of a list's frame instead of one of its own */
  isInside?: boolean;
}

export const EmptyState = ({ icon, title, children, action, snippet, isInside }: Props) => (
  <section className={classes.empty} data-inside={isInside || undefined}>
    <div className={classes.icon} aria-hidden>
      {icon}
    </div>
    <h2 className={classes.title}>{title}</h2>
    <p className={classes.text}>{children}</p>
    {action ? <div className={classes.action}>{action}</div> : null}
    {snippet ? <div className={classes.snippet}>{snippet}</div> : null}
  </section>
);
