import { Button } from '@mantine/core';
import type { ExportProgress } from './ExportButton.tsx';
import classes from './ExportStatus.module.css';

/** How far an export is, and a button to stop it. */
export function ExportStatus({ progress: { rows, about, stop } }: { progress: ExportProgress }) {
  // More rows may have arrived since they were counted.
  const most = about && Math.max(rows, about);
  return (
    <div className={classes.status}>
      <progress {...(most && { max: most, value: rows })} aria-label="Export" />
      <span role="status">
        {rows.toLocaleString('en-US')} {most ? `of about ${most.toLocaleString('en-US')} ` : ''}rows
      </span>
      <Button variant="default" size="compact-sm" onClick={stop}>
        Stop
      </Button>
    </div>
  );
}
