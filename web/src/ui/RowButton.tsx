import type { ReactNode } from 'react';
import classes from './RowButton.module.css';

/** A quiet button in a row. A plain element, because tables render many. */
export const RowButton = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <button type="button" className={classes.button} onClick={onClick}>
    {children}
  </button>
);
