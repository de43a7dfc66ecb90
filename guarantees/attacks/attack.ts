import { type Check, check, countsOf, none, type Scenario, seconds, wait } from '../harness/run.ts';
import type { Target } from './target.ts';

/** An attack's result. */
export interface Outcome {
  measured: string;
  holds: boolean;
}

/** One attack on a running instance, over HTTP. Every attack limits its traffic and targets this machine only. */
export interface Attack {
  name: string;
  /** the promise that the attack tries to break */
  promise: string;
  run(target: Target): Promise<Outcome>;
}

/** The attacks on one subject, as a scenario of the run. */
export const subject = (name: string, about: string, attacks: readonly Attack[]): Scenario<Target> => ({
  name,
  about,
  async *run(_, target) {
    const endedBefore = endedProcesses(target);
    for (const attack of attacks) yield await outcomeOf(attack, target);
    yield none('processes of the service that ended', endedProcesses(target) - endedBefore);
  },
});

async function outcomeOf({ name, promise, run }: Attack, target: Target): Promise<Check> {
  const from = performance.now();
  const { measured, holds } = await run(target).catch((error: unknown) => ({
    measured: `the attack failed: ${error}`,
    holds: false,
  }));
  return check(name, promise, `${measured} (${seconds(performance.now() - from)})`, holds);
}

const endedProcesses = ({ fleet }: Target): number =>
  [...fleet.problems].reduce((sum, [text, count]) => sum + (text.includes('ended') ? count : 0), 0);

export const statusesOf = (statuses: readonly number[]): string =>
  countsOf(
    [...Map.groupBy(statuses, (status) => status)]
      .sort(([a], [b]) => a - b)
      .map(([status, all]) => [status, all.length] as const),
  );

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
    await wait(20);
  }
}

/** Retries a call that the account's rate limit refused, at most ten times. */
export async function paced<T extends { status: number }>(call: () => Promise<T>): Promise<T> {
  for (let n = 0; ; n += 1) {
    const answer = await call();
    if (answer.status !== 429 || n === 10) return answer;
    await wait(300);
  }
}
