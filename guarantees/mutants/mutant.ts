/**
 * One deliberate fault, and the tests that must fail. `file` and `tests` are paths from the root of the repository. A fault in a
 * database function edits its file in `server/sql/functions`.
 */
export interface Mutant {
  /** Unique, and short enough for a table: `subject: fault`. */
  name: string;
  /** The promise that the fault breaks. */
  promise: string;
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
  tests: readonly string[];
  /** Browser tests, which run only if `tests` do not notice the fault. */
  browserTests?: readonly string[];
  /** Drawn by `--random`. It also counts as noticed if the tests cannot start. */
  isRandom?: boolean;
  /** Why the fault has no observable effect. */
  noEffect?: string;
}
