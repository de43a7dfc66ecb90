import { ApiError, sentence } from '../api/call.ts';
import { elapsedMs, nowMs } from '../api/clock.ts';
import { toast } from '../api/toast.ts';
import { within } from '../api/waiting.ts';
import { countOf } from '../ui/numbers.ts';

export interface ExportProgress {
  rows: number;
  /** undefined while the rows are not counted */
  about: number | undefined;
  stop: () => void;
}

/** A list that can be exported. */
export interface Exporting {
  /** the beginning of the file's name */
  name: string;
  open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

interface Run extends Exporting {
  /** about how many rows there are; undefined if there may be millions */
  about: number | undefined;
  signal: AbortSignal;
  onProgress: (rows: number) => void;
}

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

/** Saves an export and returns its number of rows. Throws if it is stopped or ends early; then no file is left. */
export async function runExport({ name, open, about, signal, onProgress }: Run): Promise<number> {
  const file = await createExportFile(
    `${name}-${new Date(nowMs()).toISOString().slice(0, 10)}.csv`,
    about ?? Infinity,
  );
  try {
    const rows = await copy(await open(signal), file, onProgress);
    await file.close();
    return rows;
  } catch (cause) {
    await file.discard().catch(() => undefined);
    throw cause;
  }
}

const CR = 13;
const LF = 10;

/** Ends the export if the connection was dropped silently. */
const SILENT_MS = 60_000;

/** Each CRLF ends a row; the first one is the header. */
async function copy(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  file: ExportFile,
  onProgress: (rows: number) => void,
): Promise<number> {
  const reader = body.getReader();
  let rows = -1;
  let last = 0;
  for (;;) {
    const { done, value } = await within(SILENT_MS, () => reader.read());
    if (done) return Math.max(0, rows);
    for (let at = value.indexOf(LF); at >= 0; at = value.indexOf(LF, at + 1))
      if ((at === 0 ? last : value[at - 1]) === CR) rows += 1;
    last = value.at(-1) ?? last;
    await file.write(value);
    onProgress(Math.max(0, rows));
  }
}

/** Where an export goes: a file that the browser writes while it arrives, or one that it keeps in memory until the end. */
interface ExportFile {
  write(piece: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The file is complete. */
  close(): Promise<void>;
  /** Deletes what was written. */
  discard(): Promise<void>;
}

/** Small exports download like any file. Only larger ones ask where to save, because only a file that was chosen can be streamed to. */
const STREAMED_ROWS = 50_000;
/** The bytes that a browser holds if it cannot stream to a file. */
const MEMORY_BYTES = 256_000_000;

class TooLargeError extends Error {
  constructor() {
    super('This browser cannot save a file this large. Choose a shorter time period, or use Chrome or Edge.');
  }
}

type Picker = (options: object) => Promise<{
  createWritable(): Promise<{
    write(piece: Uint8Array<ArrayBuffer>): Promise<void>;
    close(): Promise<void>;
    abort(): Promise<void>;
  }>;
}>;

/** Throws an `AbortError` if the user chooses no place. Call it right after a click. */
async function createExportFile(name: string, rows: number): Promise<ExportFile> {
  const pick = (window as { showSaveFilePicker?: Picker }).showSaveFilePicker;
  if (!pick || rows <= STREAMED_ROWS) return inMemory(name);
  const handle = await pick({
    suggestedName: name,
    types: [{ description: 'CSV', accept: { 'text/csv': ['.csv'] } }],
  });
  const file = await handle.createWritable();
  return { write: (piece) => file.write(piece), close: () => file.close(), discard: () => file.abort() };
}

function inMemory(name: string): ExportFile {
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  return {
    async write(piece) {
      bytes += piece.length;
      if (bytes > MEMORY_BYTES) throw new TooLargeError();
      pieces.push(piece);
    },
    async close() {
      const url = URL.createObjectURL(new Blob(pieces, { type: 'text/csv' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    },
    async discard() {
      pieces = [];
    },
  };
}
