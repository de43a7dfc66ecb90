import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../harness/load.ts';

export interface Turns {
  /** An odd number, so that the median is one of them. A comparison lasts twice as many turns. */
  pairs: number;
  /** how long a switch takes to reach every process and connection */
  settleMs: number;
  on?(): Promise<void>;
  off?(): Promise<void>;
}

/**
 * Rates of two kinds of work, or with and without a feature: the median of the ratios of neighbouring turns. Rates of a machine
 * drift by a tenth within seconds and hardly between two short turns. Every other pair begins with `off`, which cancels a steady
 * drift, such as the growth of the tables, and the median leaves out the turns in which a vacuum or a checkpoint ran.
 */
export async function ratioInTurns(
  rate: (state: 'on' | 'off') => Promise<number>,
  { pairs, settleMs, ...switches }: Turns,
): Promise<{ ratio: number; on: number; off: number }> {
  const rates: Record<'on' | 'off', number[]> = { on: [], off: [] };
  for (let pair = 0; pair < pairs; pair++)
    for (const state of pair % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      await switches[state]?.();
      await pause(settleMs);
      rates[state].push(await rate(state));
    }
  const ratios = rates.on.map((on, pair) => on / (rates.off[pair] ?? Number.NaN));
  return { ratio: quantile(ratios, 0.5), on: quantile(rates.on, 0.5), off: quantile(rates.off, 0.5) };
}
