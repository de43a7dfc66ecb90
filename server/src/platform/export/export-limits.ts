/**
 * Limits the load of exports. A process has sixteen places for customers and four for operators, and runs at most two export
 * statements at the same time. Between statements, an export holds no connection. If no place is free, a new export takes the
 * place of the slowest reader among those below the minimum rate. An account can have two exports, each of another person, but its
 * second one may not use the last half of the places. Nor may any of its exports in the five minutes after it lost a place.
 */

import { monotonicMs } from '../clock.ts';
import type { Db } from '../db/sql.ts';
import { Failure } from '../http/failure.ts';

const AN_ACCOUNT = 2;
const CUSTOMERS = 16;
const OPERATORS = 4;
const STATEMENTS = 2;
const RETRY_SECONDS = 10;
const CLOSED_MS = 300_000;

/** The client that reads an export. */
export interface Reader {
  /** How many milliseconds the client is behind the minimum rate. Zero or less if it is fast enough. */
  behindMs(): number;
  destroy(error: Error): void;
}

export interface Place {
  /** Sets the reader of the place. Before this call, the place cannot be lost. */
  readBy(reader: Reader): void;
  leave(): void;
}

/** Who exports, and for which account. An operator is an account of one person. */
interface Exporter {
  account_id: string;
  person_id: string;
}

export interface ExportSlots {
  /** Throws `export_limit_reached`. */
  enter(exporter: Exporter, isOperator: boolean): Place;
  /** Waits until the export may run a statement. */
  turn<T>(work: () => Promise<T>): Promise<T>;
}

interface Taken extends Place, Exporter {
  reader: Reader | undefined;
}

function createPlaces(most: number): (exporter: Exporter) => Place {
  const taken = new Set<Taken>();
  /** When each account last lost a place, oldest first. */
  const closedMs = new Map<string, number>();

  /** Closes the slowest reader if it is below the minimum rate. */
  function closeSlowest(): boolean {
    const [slowest] = [...taken]
      .map((place) => ({ place, behindMs: place.reader?.behindMs() ?? 0 }))
      .sort((a, b) => b.behindMs - a.behindMs);
    if (!slowest || slowest.behindMs <= 0) return false;
    const { account_id, reader, leave } = slowest.place;
    leave();
    closedMs.delete(account_id);
    closedMs.set(account_id, monotonicMs());
    reader?.destroy(new Error('The client reads too slowly while other exports wait'));
    return true;
  }

  function wasClosed(account_id: string): boolean {
    const oldestMs = monotonicMs() - CLOSED_MS;
    for (const [one, atMs] of closedMs) {
      if (atMs > oldestMs) break;
      closedMs.delete(one);
    }
    return closedMs.has(account_id);
  }

  return ({ account_id, person_id }) => {
    const own = [...taken].filter((place) => place.account_id === account_id);
    const mayTakeLast = own.length === 0 && !wasClosed(account_id);
    const isRefused =
      own.length >= AN_ACCOUNT ||
      own.some((place) => place.person_id === person_id) ||
      (taken.size >= most / 2 && !mayTakeLast) ||
      (taken.size >= most && !closeSlowest());
    if (isRefused) throw new Failure('export_limit_reached', { retry_after: RETRY_SECONDS });
    const place: Taken = {
      account_id,
      person_id,
      reader: undefined,
      readBy(reader) {
        place.reader = reader;
      },
      leave: () => void taken.delete(place),
    };
    taken.add(place);
    return place;
  };
}

function createSlots(): ExportSlots {
  const customers = createPlaces(CUSTOMERS);
  const operators = createPlaces(OPERATORS);
  const waiting: (() => void)[] = [];
  let working = 0;
  return {
    enter: (exporter, isOperator) => (isOperator ? operators : customers)(exporter),
    async turn(work) {
      if (working >= STATEMENTS) await new Promise<void>((start) => waiting.push(start));
      else working += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else working -= 1;
      }
    },
  };
}

const slotsOf = new WeakMap<Db['pool'], ExportSlots>();

/** The limits of this process, which has one pool. */
export function exportSlots(db: Db): ExportSlots {
  const slots = slotsOf.get(db.pool) ?? createSlots();
  slotsOf.set(db.pool, slots);
  return slots;
}
