/**
 * Logs responses that were not logged by the statement that made a change, mainly refusals. Rows are collected off the request
 * path and written in batches, at most 100 ms after the response. While the database is unavailable, up to 30 seconds of rows
 * are buffered within a size limit; dropped rows are counted and logged. To keep a flood of requests from flooding the table,
 * each process writes equal refusals of one second as one row with a count, and all processes share one row for a key's
 * rate-limit refusals. Refusals about different recipients, including malformed ones, get separate rows, up to a limit per
 * second. A row for several requests contains only the values that all of them share.
 */

import { monotonicMs } from '../platform/clock.ts';
import { isDatabaseUnavailable } from '../platform/db/sql.ts';
import type { Needs } from '../platform/platform.ts';
import { type RequestLogEntry, type RequestLogRow, rowOf } from './entry.ts';
import { insertRequestLogs, SHARED } from './queries.ts';

export interface RequestLogWriter {
  record(entry: RequestLogEntry): void;
  /** Resolves when all earlier rows have been written or dropped. */
  flush(): Promise<void>;
  /** Writes the buffered rows. Later rows are still written, but without a time guarantee. */
  close(): Promise<void>;
}

/**
 * The maximum number of rows per account and second for refusals about different recipients or verifications. Further refusals
 * share one row for each key and reason.
 */
const APART_A_SECOND = 30;
const ROWS_A_BATCH = 200;
const ROWS_IN_MEMORY = 20_000;
const FLUSH_MS = 50;
const RETRY_MS = 500;
const KEEP_MS = 30_000;

export function createRequestLogWriter(
  app: Needs<'db' | 'clock' | 'log'>,
  { rowsInMemory = ROWS_IN_MEMORY }: { rowsInMemory?: number } = {},
): RequestLogWriter {
  let pending = new Map<string, RequestLogRow>();
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lost = 0;
  let unavailableSinceMs: number | undefined;

  /**
   * The row ids of this second's refusals, by the properties that further refusals must share to be counted in the same row.
   */
  let firsts = new Map<string, string>();
  /** The number of rows in this second, by account. */
  let apart = new Map<string, number>();
  let firstsOfSecond = 0;

  /** A new row, or one with the id of the first equal refusal in this second, whose count then grows. */
  const rowFor = (entry: RequestLogEntry): RequestLogRow => {
    const at = app.clock.now();
    const row = rowOf(entry, at);
    if (row.request_id !== null) return row;
    const second = Math.floor(at.getTime() / 1000);
    if (second !== firstsOfSecond) [firsts, apart] = [new Map(), new Map()];
    firstsOfSecond = second;
    const { account_id, api_key_id, request_type, response_status_code, reason, blocked_by } = entry;
    const kind = [api_key_id, request_type, response_status_code, reason, blocked_by];
    const about = JSON.stringify([...kind, entry.unstored_recipient, ...SHARED.map((name) => row[name])]);
    const rows = apart.get(account_id) ?? 0;
    const shared = firsts.has(about) || rows < APART_A_SECOND ? about : JSON.stringify(kind);
    const first = firsts.get(shared);
    if (first !== undefined) return { ...row, id: first, request_id: entry.request_id };
    firsts.set(shared, row.id);
    apart.set(account_id, rows + 1);
    return row;
  };

  const merge = (into: RequestLogRow, row: RequestLogRow): void => {
    into.count += 1;
    for (const name of SHARED)
      if (JSON.stringify(into[name]) !== JSON.stringify(row[name])) into[name] = null;
  };

  const record = (entry: RequestLogEntry): void => {
    const row = rowFor(entry);
    const same = pending.get(row.id);
    if (same) merge(same, row);
    else if (pending.size < rowsInMemory) pending.set(row.id, row);
    else lost += 1;
    if (!timer && !writing) timer = setTimeout(() => void flush(), FLUSH_MS);
  };

  const flush = async (): Promise<void> => {
    // A caller that arrives during a write waits for that write and then for the write of its own rows.
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
      // Sorted by id, so that two processes that update the same rows lock them in the same order and cannot deadlock.
      rows.sort((a, b) => (a.id < b.id ? -1 : 1));
      for (let from = 0; from < rows.length; from += ROWS_A_BATCH)
        await write(rows.slice(from, from + ROWS_A_BATCH));
    }
    if (lost > 0) {
      app.log.warn(
        { rows: lost },
        'dropped request log rows: the database was unavailable or the queue was full',
      );
      lost = 0;
    }
  };

  const write = async (rows: readonly RequestLogRow[]): Promise<void> => {
    for (;;) {
      try {
        await insertRequestLogs(app.db, rows);
        unavailableSinceMs = undefined;
        return;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) return writeApart(rows, error);
        unavailableSinceMs ??= monotonicMs();
        if (monotonicMs() - unavailableSinceMs > KEEP_MS) {
          lost += rows.length;
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  };

  /** Splits a failed batch until only the invalid rows are dropped. */
  const writeApart = async (rows: readonly RequestLogRow[], error: unknown): Promise<void> => {
    if (rows.length === 1) {
      lost += 1;
      app.log.error({ err: error }, 'dropped a request log row that cannot be written');
      return;
    }
    const half = rows.length >> 1;
    await write(rows.slice(0, half));
    await write(rows.slice(half));
  };

  return { record, flush, close: flush };
}
