import type { ReactNode } from 'react';
import classes from './Banner.module.css';

interface Props {
  /** for screen readers: 'Balance' */
  label: string;
  icon: ReactNode;
  children: ReactNode;
  tone?: 'orange' | 'gray';
  /** where to act on it */
  link?: ReactNode;
}

/** A strip above every screen. */
export const Banner = ({ label, icon, children, link, tone = 'orange' }: Props) => (
  <aside className={classes.banner} data-tone={tone} aria-label={label}>
    {icon}
    <span>
      {children}
      {link ? <span className={classes.link}> {link}</span> : null}
    </span>
  </aside>
);
