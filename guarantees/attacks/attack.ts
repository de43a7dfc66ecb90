import type { Target } from './target.ts';

/** The result of one attack. */
export interface Outcome {
  measured: string;
  holds: boolean;
}

/** One attack on a running instance, over HTTP. Every attack limits its traffic and targets this machine only. */
export interface Attack {
  name: string;
  /** the promise under attack */
  promise: string;
  run(target: Target): Promise<Outcome>;
}

export const countsOf = (statuses: readonly number[]): string =>
  [...Map.groupBy(statuses, (status) => status)]
    .sort(([a], [b]) => a - b)
    .map(([status, all]) => `${all.length} × ${status}`)
    .join(', ');

/** Runs `work` for 0 to `count` - 1, at most `atOnce` at a time. */
export async function many<T>(count: number, atOnce: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const n = next++;
      results[n] = await work(n);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, lane));
  return results;
}

/** Waits until `found` returns something. */
export async function until<T>(what: string, found: () => T | undefined, seconds = 20): Promise<T> {
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    const value = found();
    if (value !== undefined) return value;
    if (performance.now() > end) throw new Error(`Timeout: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Repeats a call that the account's rate limit refused, at most ten times. */
export async function paced<T extends { status: number }>(call: () => Promise<T>): Promise<T> {
  for (let n = 0; ; n += 1) {
    const answer = await call();
    if (answer.status !== 429 || n === 10) return answer;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
