import type { ReactNode } from 'react';
import classes from './CompactRow.module.css';

/** A row in two lines: the title with a badge, and details with a number. Both texts are cut at the end of their line. */
export interface Compact {
  title: ReactNode;
  badge?: ReactNode;
  /** joined by dots */
  details: readonly (ReactNode | undefined | null)[];
  end?: ReactNode;
  /** buttons next to both lines */
  action?: ReactNode;
}

export function CompactRow({ title, badge, details, end, action }: Compact) {
  const shown = details.filter((detail) => detail !== undefined && detail !== null && detail !== '');
  return (
    <div className={classes.row}>
      <div className={classes.lines}>
        <div className={classes.line}>
          <span className={classes.title}>{title}</span>
          {badge}
        </div>
        <div className={classes.line}>
          <span className={classes.details}>
            {shown.map((detail, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the details of a row have fixed places
              <span key={index}>
                {index > 0 ? ' · ' : null}
                <bdi>{detail}</bdi>
              </span>
            ))}
          </span>
          {end}
        </div>
      </div>
      {action}
    </div>
  );
}
