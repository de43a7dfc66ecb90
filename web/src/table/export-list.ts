import { ApiError, sentence } from '../api/call.ts';
import { elapsedMs } from '../api/clock.ts';
import { toast } from '../api/toast.ts';
import { countOf } from '../ui/numbers.ts';
import { type Exporting, type ExportProgress, runExport } from './run-export.ts';

const PROGRESS_MS = 200;

/** Exports a list and reports the result in a toast. `about` is the number of rows, if they are counted. */
export async function exportList(
  exporting: Exporting,
  about: number | undefined,
  stopping: AbortController,
  show: (progress: ExportProgress) => void,
): Promise<void> {
  try {
    let shownAt = 0;
    const rows = await runExport({
      ...exporting,
      about,
      signal: stopping.signal,
      onProgress: (count) => {
        const now = elapsedMs();
        if (now - shownAt < PROGRESS_MS) return;
        shownAt = now;
        show({ rows: count, about, stop: () => stopping.abort() });
      },
    });
    toast.success(`Exported ${countOf(rows, 'row')}`);
  } catch (cause) {
    // stopped, or no place was chosen
    if (cause instanceof DOMException && cause.name === 'AbortError') return;
    console.error(cause);
    const isOurs = cause instanceof ApiError || !(cause instanceof Error) || cause instanceof TypeError;
    toast.error(isOurs ? sentence(cause, 'The export ended early. Please try again.') : cause.message);
  }
}
