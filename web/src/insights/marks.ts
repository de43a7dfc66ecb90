const MOST = 4;

/** The values of an axis up to `top`: multiples of the first step that needs at most four, or quarters of it. */
export function marksOf(steps: readonly number[], top: number): number[] {
  const step = steps.find((one) => top <= one * MOST) ?? top / MOST;
  const count = Math.max(1, Math.ceil(top / step));
  return Array.from({ length: count + 1 }, (_, n) => n * step);
}
