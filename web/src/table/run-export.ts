import { within } from '../api/waiting.ts';
import { createExportFile, type ExportFile } from './export-file.ts';

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

/** Saves an export and returns its number of rows. Throws if it is stopped or ends early; then no file is left. */
export async function runExport({ name, open, about, signal, onProgress }: Run): Promise<number> {
  const file = await createExportFile(
    `${name}-${new Date().toISOString().slice(0, 10)}.csv`,
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

/** A connection that was dropped silently ends the export. */
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
