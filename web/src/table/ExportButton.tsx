import { IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Page } from '../api/list.ts';
import { toast } from '../api/toast.ts';
import { TipIcon } from '../ui/TipIcon.tsx';
import type { CountQuery } from './count.ts';
import type { Exporting, ExportProgress } from './run-export.ts';

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
    try {
      const { exportList } = await import('./run-export.ts');
      const counted = counting && queryClient.getQueryData(counting.queryKey);
      await exportList(exporting, isAtLeast ? counted : count, stopping, setProgress);
    } catch {
      toast.error('The export could not start. Please try again.');
    } finally {
      running.current = undefined;
      setProgress(undefined);
    }
  };
  return { start: () => void start(), progress };
}

interface Props {
  isBusy: boolean;
  disabled?: boolean;
  onStart: () => void;
}

export const ExportButton = ({ isBusy, disabled = false, onStart }: Props) => (
  <TipIcon
    label="Export as CSV"
    variant="default"
    size="input-sm"
    className="data-disabled:border-border"
    loading={isBusy}
    disabled={disabled}
    onClick={onStart}
  >
    <IconDownload size={18} stroke={1.75} aria-hidden />
  </TipIcon>
);
