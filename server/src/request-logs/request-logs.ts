import { isDatabaseUnavailable } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import { type RequestLogEntry, type RequestLogRow, rowOf } from './entry.ts';
import { insertRequestLogs } from './queries.ts';

export type { RequestLogEntry } from './entry.ts';

/**
 * The request log of what is not written with the change it made: refusals, above all. Rows are collected off the
 * request path and written in batches, at the latest 100 ms after the answer. While the database is away they are kept
 * for 30 seconds, as far as there is room; what is lost is counted and said. Refusals of one key, reason and second are one
 * row with a count in each process, those of the rate limit over all processes, so that a flood of requests is no flood of rows.
 */
export interface RequestLog {
  /** Never waits and never throws. */
  record(entry: RequestLogEntry): void;
  /** Resolves when all that was recorded before is written or given up. */
  flush(): Promise<void>;
  /** Writes what is there. What is recorded afterwards is still written, without a promise when. */
  close(): Promise<void>;
}

const ROWS_A_BATCH = 200;
const ROWS_IN_MEMORY = 20_000;
const FLUSH_MS = 50;
const RETRY_MS = 500;
const KEEP_MS = 30_000;

interface Options {
  rowsInMemory?: number;
  keepMs?: number;
}

export function createRequestLog(
  app: Needs<'db' | 'clock' | 'log'>,
  { rowsInMemory = ROWS_IN_MEMORY, keepMs = KEEP_MS }: Options = {},
): RequestLog {
  let pending = new Map<string, RequestLogRow>();
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lost = 0;
  let awaySince: number | undefined;

  /** Ids of the first refusals of this second, by what makes others the same. */
  let firsts = new Map<string, string>();
  let firstsOfSecond = 0;

  /** The row of a request: its own, or that of the first one of the same kind in this second, which is counted up. */
  const rowFor = (entry: RequestLogEntry): RequestLogRow => {
    const at = app.clock.now();
    const row = rowOf(entry, at);
    if (row.request_id !== null) return row;
    const second = Math.floor(at.getTime() / 1000);
    if (second !== firstsOfSecond) firsts = new Map();
    firstsOfSecond = second;
    const kind = [entry.api_key_id, entry.request_type, entry.response_status_code, entry.reason].join(' ');
    const first = firsts.get(kind);
    if (first !== undefined) return { ...row, id: first, request_id: entry.request_id };
    firsts.set(kind, row.id);
    return row;
  };

  const record = (entry: RequestLogEntry): void => {
    const row = rowFor(entry);
    const same = pending.get(row.id);
    if (same) same.count += 1;
    else if (pending.size < rowsInMemory) pending.set(row.id, row);
    else lost += 1;
    if (!timer && !writing) timer = setTimeout(() => void flush(), FLUSH_MS);
  };

  const flush = async (): Promise<void> => {
    // Whoever comes while rows are being written waits for them, and then for a round that has its own.
    if (writing) await writing;
    writing ??= writeAll().finally(() => {
      writing = undefined;
      if (pending.size > 0) timer ??= setTimeout(() => void flush(), FLUSH_MS);
    });
    await writing;
  };

  const writeAll = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    while (pending.size > 0) {
      const rows = [...pending.values()];
      pending = new Map();
      // In the order of ids, so that two processes that count into the same rows never wait for each other.
      rows.sort((a, b) => (a.id < b.id ? -1 : 1));
      for (let from = 0; from < rows.length; from += ROWS_A_BATCH)
        await write(rows.slice(from, from + ROWS_A_BATCH));
    }
    if (lost > 0) {
      app.log.warn(
        { rows: lost },
        'request log rows were lost: the database was away, or they came too fast',
      );
      lost = 0;
    }
  };

  const write = async (rows: readonly RequestLogRow[]): Promise<void> => {
    for (;;) {
      try {
        await insertRequestLogs(app.db, rows);
        awaySince = undefined;
        return;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) return writeApart(rows, error);
        awaySince ??= performance.now();
        if (performance.now() - awaySince > keepMs) {
          lost += rows.length;
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  };

  /** A batch that cannot be written as a whole: only the rows at fault are given up. */
  const writeApart = async (rows: readonly RequestLogRow[], error: unknown): Promise<void> => {
    if (rows.length === 1) {
      lost += 1;
      app.log.error({ err: error }, 'a request log row cannot be written');
      return;
    }
    const half = rows.length >> 1;
    await write(rows.slice(0, half));
    await write(rows.slice(half));
  };

  return { record, flush, close: flush };
}
