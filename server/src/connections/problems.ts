import type { Sql } from '../platform/db/sql.ts';
import { addProblems, type Problems } from './queries.ts';

/** Collects the problems of requests, so that a flood of wrong signatures costs one statement a second. */
export interface ProblemCounts {
  wrongSignature(id: string): void;
  refused(id: string, reason: string): void;
  write(sql: Sql, at: Date): Promise<void>;
}

/** Bounds memory. Strangers can name only connections that exist. */
const CONNECTIONS_MAX = 10_000;

export function createProblemCounts(): ProblemCounts {
  let problems = new Map<string, Problems>();
  const of = (id: string): Problems => {
    const known = problems.get(id) ?? { id, wrong_signatures: 0, last_error: null };
    if (problems.size < CONNECTIONS_MAX) problems.set(id, known);
    return known;
  };
  return {
    wrongSignature(id) {
      of(id).wrong_signatures += 1;
    },
    refused(id, reason) {
      of(id).last_error = reason;
    },
    async write(sql, at) {
      if (problems.size === 0) return;
      const taken = [...problems.values()];
      problems = new Map();
      await addProblems(sql, taken, at);
    },
  };
}
