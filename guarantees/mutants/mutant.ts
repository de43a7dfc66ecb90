/** One deliberate fault, and the tests that must fail. `file` and `tests` are paths from the root of the repository. */
export interface Mutant {
  /** Unique, and short enough for a table. */
  name: string;
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
  tests: readonly string[];
  /** Browser tests, which run only if `tests` do not notice the fault. */
  browserTests?: readonly string[];
  /** Why the fault has no observable effect. */
  noEffect?: string;
}
