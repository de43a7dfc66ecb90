import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError, sentence } from '../api/call.ts';
import { elapsedMs } from '../api/clock.ts';
import type { Page } from '../api/list.ts';
import { TipIcon } from '../ui/TipIcon.tsx';
import { toast } from '../ui/toast.ts';
import type { CountQuery } from './count.ts';
import type { Exporting } from './run-export.ts';
import classes from './table.module.css';

export interface ExportProgress {
  rows: number;
  /** undefined while the rows are not counted */
  about: number | undefined;
  stop: () => void;
}

/** Exports a list. Its progress is shown below the toolbar. */
export function useExport(
  exporting: Exporting | undefined,
  { count, isAtLeast }: Pick<Page<unknown>, 'count' | 'isAtLeast'>,
  counting?: CountQuery,
) {
  const queryClient = useQueryClient();
  const [progress, setProgress] = useState<ExportProgress>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (): Promise<void> => {
    if (!exporting || running.current) return;
    const stopping = new AbortController();
    running.current = stopping;
    const counted = counting && queryClient.getQueryData(counting.queryKey);
    const about = isAtLeast ? counted : count;
    const show = (rows: number): void => setProgress({ rows, about, stop: () => stopping.abort() });
    try {
      const { runExport } = await import('./run-export.ts');
      let shownAt = 0;
      const rows = await runExport({
        ...exporting,
        about,
        signal: stopping.signal,
        onProgress: (count) => {
          const now = elapsedMs();
          if (now - shownAt < 200) return;
          shownAt = now;
          show(count);
        },
      });
      toast.success(`Exported ${rows.toLocaleString('en-US')} ${rows === 1 ? 'row' : 'rows'}`);
    } catch (cause) {
      // stopped, or no place was chosen
      if (cause instanceof DOMException && cause.name === 'AbortError') return;
      console.error(cause);
      const isOurs = cause instanceof ApiError || !(cause instanceof Error) || cause instanceof TypeError;
      toast.error(isOurs ? sentence(cause, 'The export ended early. Please try again.') : cause.message);
    } finally {
      running.current = undefined;
      setProgress(undefined);
    }
  };
  return { start: () => void start(), progress };
}

export const ExportButton = ({ isBusy, onStart }: { isBusy: boolean; onStart: () => void }) => (
  <TipIcon label="Export as CSV" variant="default" size="input-sm" loading={isBusy} onClick={onStart}>
    <IconDownload size={18} stroke={1.75} aria-hidden />
  </TipIcon>
);

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
