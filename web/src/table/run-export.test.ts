// @vitest-environment node
import { afterEach, expect, test, vi } from 'vitest';
import { runExport } from './run-export.ts';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const streamOf = (pieces: readonly string[], end?: Error) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const piece = pieces[at++];
      if (piece !== undefined) controller.enqueue(bytes(piece));
      else if (end) controller.error(end);
      else controller.close();
    },
  });
let at = 0;

/** A browser that streams to a chosen file. */
function chosenFile() {
  const file = { name: '', text: '', state: 'open' };
  const createWritable = async () => ({
    async write(piece: Uint8Array) {
      file.text += new TextDecoder().decode(piece);
    },
    async close() {
      file.state = 'closed';
    },
    async abort() {
      file.state = 'discarded';
    },
  });
  vi.stubGlobal('window', {
    showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) => {
      file.name = suggestedName;
      return { createWritable };
    },
  });
  return file;
}
afterEach(() => {
  vi.unstubAllGlobals();
  at = 0;
});
const run = (pieces: readonly string[], end?: Error) => {
  const seen: number[] = [];
  const result = runExport({
    name: 'rows',
    open: async () => streamOf(pieces, end),
    about: 1_000_000,
    signal: new AbortController().signal,
    onProgress: (rows) => seen.push(rows),
  });
  return { result, seen };
};

test('a large export is written to the chosen file while it arrives, and its rows are counted', async () => {
  const file = chosenFile();
  const { result, seen } = run(['id,n\r\na,1\r', '\nb,"two\nlines"\r\n', 'c,3\r\n']);
  expect(await result).toBe(3);
  expect(seen).toEqual([0, 2, 3]);
  expect(file).toEqual({
    name: expect.stringMatching(/^rows-\d{4}-\d\d-\d\d\.csv$/),
    text: 'id,n\r\na,1\r\nb,"two\nlines"\r\nc,3\r\n',
    state: 'closed',
  });
});

test('an export that ends early leaves no file', async () => {
  const file = chosenFile();
  await expect(run(['id\r\na\r\n'], new TypeError('network error')).result).rejects.toThrow('network error');
  expect(file.state).toBe('discarded');
});
