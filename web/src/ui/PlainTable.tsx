import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './PlainTable.module.css';

interface Props {
  label: string;
  headings: readonly string[];
  /** the heading of a last column of buttons, for screen readers only */
  buttons?: string | undefined;
  /** rows */
  children: ReactNode;
  className?: string;
}

/** A small table without sorting and pages. */
export const PlainTable = ({ label, headings, buttons, children, className = '' }: Props) => (
  <table className={`${classes.table} w-full border-collapse text-14 ${className}`} aria-label={label}>
    <thead>
      <tr>
        {headings.map((heading) => (
          <th key={heading}>{heading}</th>
        ))}
        {buttons ? (
          <th>
            <VisuallyHidden>{buttons}</VisuallyHidden>
          </th>
        ) : null}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);
