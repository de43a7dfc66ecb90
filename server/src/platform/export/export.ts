/**
 * Exports whole lists as CSV. A list is read part by part, each in a short transaction, and only as fast as the client reads.
 * So memory use does not depend on the number of rows, and a slow client holds no database connection.
 */

import type { Readable } from 'node:stream';
import { BYTE_ORDER_MARK, type Cell, csvRow } from '@sixdigit/contract/text/csv.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db, Tx } from '../db/sql.ts';
import { readForLists } from '../db/standby-reads.ts';
import { Failure } from '../http/failure.ts';
import type { Needs } from '../platform.ts';
import { maskedNumbers, maskedRecipient } from '../security/masks.ts';
import { exportSlots } from './export-limits.ts';
import { PartStream } from './part-stream.ts';

export type { Cell } from '@sixdigit/contract/text/csv.ts';

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
