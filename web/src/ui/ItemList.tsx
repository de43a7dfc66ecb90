import type { ReactNode } from 'react';
import classes from './ItemList.module.css';

/** A framed list of things that the account has, such as sessions and passkeys. */
export const ItemList = ({ label, children }: { label: string; children: ReactNode }) => (
  <ul className={classes.list} aria-label={label}>
    {children}
  </ul>
);

interface Props {
  icon: ReactNode;
  name: ReactNode;
  /** below the name */
  note: ReactNode;
  /** buttons */
  children?: ReactNode;
}

export const Item = ({ icon, name, note, children }: Props) => (
  <li>
    {icon}
    <div className={classes.what}>
      <span className={classes.name}>{name}</span>
      <span className={classes.note}>{note}</span>
    </div>
    {children ? <div className={classes.buttons}>{children}</div> : null}
  </li>
);
