/** Where an export goes: a file that the browser writes while it arrives, or one that it keeps in memory until the end. */
export interface ExportFile {
  write(piece: Uint8Array<ArrayBuffer>): Promise<void>;
  /** The file is complete. */
  close(): Promise<void>;
  /** Nothing is left of it. */
  discard(): Promise<void>;
}

/** Small exports download like any file. Only larger ones ask where to save, because only a file that was chosen can be streamed to. */
const STREAMED_ROWS = 50_000;
/** The bytes that a browser holds if it cannot stream to a file. */
export const MEMORY_BYTES = 256_000_000;

export class TooLargeError extends Error {
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
export async function createExportFile(name: string, rows: number): Promise<ExportFile> {
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
