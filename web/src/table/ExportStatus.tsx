import { Button } from '@mantine/core';
import classes from './ExportStatus.module.css';
import type { ExportProgress } from './run-export.ts';

/** How far an export is, and a button to stop it. */
export function ExportStatus({ progress: { rows, about, stop } }: { progress: ExportProgress }) {
  // More rows may have arrived since they were counted.
  const most = about && Math.max(rows, about);
  return (
    <div className="mb-3.5 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-8 border border-line bg-surface px-3 py-2 text-14 text-ink-soft tabular-nums">
      <progress
        className={`${classes.progress} min-w-0 overflow-hidden rounded-16 border-0 bg-line`}
        {...(most && { max: most, value: rows })}
        aria-label="Export"
      />
      <span role="status">
        {rows.toLocaleString('en-US')} {most ? `of about ${most.toLocaleString('en-US')} ` : ''}rows
      </span>
      <Button variant="default" size="compact-sm" onClick={stop}>
        Stop
      </Button>
    </div>
  );
}
