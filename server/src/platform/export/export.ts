/**
 * Exports whole lists as CSV. A list is read part by part, each in a short transaction, and only as fast as the client reads.
 * So memory use does not depend on the number of rows, and a slow client holds no database connection.
 */

import { Readable } from 'node:stream';
import { BYTE_ORDER_MARK, type Cell, csvRow } from '@sixdigit/contract/text/csv.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { monotonicMs } from '../clock.ts';
import type { Db, Tx } from '../db/sql.ts';
import { readForLists } from '../db/standby-reads.ts';
import { Failure } from '../http/failure.ts';
import type { Needs } from '../platform.ts';
import { maskedNumbers, maskedRecipient } from '../security/masks.ts';
import { exportSlots } from './export-limits.ts';

/** A list to export. */
export interface Exported<Row> {
  /** the beginning of the file's name */
  name: string;
  columns: readonly { header: string; cell: (row: Row) => Cell }[];
  /** the cursor of the first part; by default an id above all others */
  first?: string;
  /** Reads the rows below this id, down to the id where the next part begins. Reads at most a few thousand rows. */
  part(tx: Tx, below: string): Promise<Part<Row>>;
}

export interface Part<Row> {
  rows: readonly Row[];
  /** the next part begins below this id; null after the last part */
  next: string | null;
}

/**
 * The number of rows that one part reads, whether or not they match the filter. It is small enough to keep the event loop
 * responsive.
 */
export const PART_ROWS = 2_000;

const FIRST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const STATEMENT_MS = 5_000;
const CANCELED = '57014';
/** How long a client may read nothing, even if no other export is waiting. */
const STALLED_MS = 60_000;
/** How often an export checks whether its session is still open. */
const SESSION_MS = 1_000;

interface ExportCall<C> {
  /** Whether the caller may still read; checked while the export runs. */
  server: { isSessionOpen(caller: C): Promise<boolean> };
  caller: C;
  /** takes one of the places that are reserved for operators */
  isOperator?: boolean;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** A cell as viewers get it, with recipients masked. */
function maskedCell(cell: Cell): Cell {
  if (typeof cell === 'string') return maskedNumbers(cell);
  return typeof cell === 'object' && cell !== null ? maskedRecipient(cell.e164) : cell;
}

/** The response to an export. Viewers get recipients masked. Throws `export_limit_reached`, or `list_timeout` if its first part takes too long. */
export async function exportCsv<Row, C extends { person_id: string; account_id?: string; role: string }>(
  app: Needs<'db' | 'clock' | 'log'>,
  { server, caller, isOperator = false, request, reply }: ExportCall<C>,
  exported: Exported<Row>,
): Promise<Readable> {
  const slots = exportSlots(app.db);
  const { person_id, account_id = person_id } = caller;
  const place = slots.enter({ account_id, person_id }, isOperator);
  try {
    const read = (below: string) =>
      slots.turn(() => readForLists(app.db, (db) => readPart(db, exported, below)));
    const shown = caller.role === 'viewer' ? maskedCell : (cell: Cell): Cell => cell;
    const lines = (rows: readonly Row[]): string =>
      rows.map((row) => csvRow(exported.columns.map(({ cell }) => shown(cell(row))))).join('');
    const first = await read(exported.first ?? FIRST);
    const header = csvRow(exported.columns.map(({ header }) => header));
    let next = first.next;
    let checkedMs = app.clock.now().getTime();

    const more = async (): Promise<string | null> => {
      if (next === null) return null;
      const nowMs = app.clock.now().getTime();
      if (nowMs - checkedMs >= SESSION_MS) {
        if (!(await server.isSessionOpen(caller))) throw new Error('The session of an export has ended');
        checkedMs = nowMs;
      }
      const part = await read(next);
      next = part.next;
      return lines(part.rows);
    };
    const stream = new PartStream(BYTE_ORDER_MARK + header + lines(first.rows), more, STALLED_MS);
    place.readBy(stream);
    stream.once('close', place.leave);
    stream.once('error', (err) => app.log.info({ err, export: exported.name }, 'export ended early'));
    // A pipe does not notice if the client disconnects before the first piece is written.
    request.raw.socket.once('close', () => stream.destroy());
    reply.headers({
      'Content-Disposition': `attachment; filename="${exported.name}-${app.clock.now().toISOString().slice(0, 10)}.csv"`,
      'X-Accel-Buffering': 'no',
    });
    return stream;
  } catch (error) {
    place.leave();
    throw error;
  }
}

function readPart<Row>(db: Db, exported: Exported<Row>, below: string): Promise<Part<Row>> {
  return db.transaction(
    (tx) =>
      exported.part(tx, below).catch((error: unknown) => {
        throw (error as { code?: unknown }).code === CANCELED
          ? new Failure('list_timeout', {}, { cause: error })
          : error;
      }),
    { timeoutMs: STATEMENT_MS },
  );
}

/** In UTF-16 code units, most of which are one byte in UTF-8. */
const PIECE = 64 * 1024;
/** The minimum rate, which even a slow mobile connection exceeds. */
const BYTES_PER_MS = 100;
/** How far a client may fall behind the minimum rate, to tolerate a pause of its network. */
const SLACK_MS = 5_000;

/** Streams texts that are fetched one by one, as fast as the consumer reads. */
export class PartStream extends Readable {
  readonly #more: () => Promise<string | null>;
  readonly #stalledMs: number;
  #part: string;
  #stalled: NodeJS.Timeout | undefined;
  /** when a client that is slower than the minimum rate will have used up its tolerance */
  #dueMs = monotonicMs() + SLACK_MS;
  #askedMs = 0;
  #isWaitingForClient = false;

  /** `more` returns null after the last text. The stream ends if its consumer reads nothing for `stalledMs`. */
  constructor(first: string, more: () => Promise<string | null>, stalledMs: number) {
    super({ encoding: 'utf8', highWaterMark: PIECE });
    this.#part = first;
    this.#more = more;
    this.#stalledMs = stalledMs;
  }

  /** How many milliseconds the client is behind the minimum rate. Time spent in the database does not count. */
  behindMs(): number {
    return this.#isWaitingForClient ? monotonicMs() - this.#dueMs : 0;
  }

  override _read(): void {
    clearTimeout(this.#stalled);
    this.#isWaitingForClient = false;
    this.#askedMs = monotonicMs();
    this.#next().then(
      (piece) => {
        if (this.destroyed) return;
        if (piece !== null) this.#awaitClient(piece.length);
        this.push(piece, 'utf8');
      },
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#stalled);
    done(error);
  }

  #awaitClient(bytes: number): void {
    const nowMs = monotonicMs();
    const dueMs = this.#dueMs + (nowMs - this.#askedMs) + bytes / BYTES_PER_MS;
    this.#dueMs = Math.min(dueMs, nowMs + SLACK_MS);
    this.#isWaitingForClient = true;
    this.#stalled = setTimeout(() => this.destroy(new Error('The client stopped reading')), this.#stalledMs);
    this.#stalled.unref();
  }

  /** Skips parts without a matching row, because an empty piece would stop the stream. */
  async #next(): Promise<string | null> {
    while (this.#part.length === 0) {
      const text = await this.#more();
      if (text === null || this.destroyed) return null;
      this.#part = text;
    }
    // Does not split a surrogate pair.
    const end = /[\uD800-\uDBFF]/.test(this.#part.charAt(PIECE - 1)) ? PIECE - 1 : PIECE;
    const piece = this.#part.slice(0, end);
    this.#part = this.#part.slice(end);
    return piece;
  }
}
