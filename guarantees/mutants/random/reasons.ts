/** A random fault that changes nothing that anyone can observe. */
interface Reason {
  file: string;
  /** The text before and after, as the run prints it, with single spaces. */
  change: readonly [string, string];
  reason: string;
}

export const reasons: readonly Reason[] = [];
