/** Processes read settings every second. */
const SETTLED_MS = 1_500;
/** One vacuum or checkpoint changes the rate of a turn by a tenth, so there are many. */
const ORDER = ['on', 'off', 'off', 'on'] as const;

/**
 * Rates with and without a feature. The turns alternate in an order that cancels a steady drift of the machine, such as the growth
 * of the tables.
 */
export async function ratioInTurns(
  rate: () => Promise<number>,
  { on, off }: { on: () => Promise<void>; off: () => Promise<void> },
): Promise<{ ratio: number; on: number; off: number }> {
  const sums = { on: 0, off: 0 };
  const turns = [...ORDER, ...ORDER, ...ORDER, ...ORDER];
  for (const turn of turns) {
    await (turn === 'on' ? on() : off());
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    sums[turn] += await rate();
  }
  const each = turns.length / 2;
  return { ratio: sums.on / sums.off, on: sums.on / each, off: sums.off / each };
}
