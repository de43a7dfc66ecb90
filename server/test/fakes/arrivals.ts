/** How long a test waits for messages, as for other states (`vitest.config.ts`). */
export const ARRIVAL_MS = 15_000;

/** Messages that a fake received, in order; callers can wait for more. */
export class Arrivals<T> {
  readonly all: T[] = [];
  readonly #watchers = new Set<() => void>();

  push(arrival: T): void {
    this.all.push(arrival);
    for (const look of [...this.#watchers]) look();
  }

  clear(): void {
    this.all.length = 0;
  }

  /** Resolves with the first `count` matches once they have arrived. Throws after `timeoutMs`. */
  waitFor(
    count: number,
    matches: (arrival: T) => boolean = () => true,
    timeoutMs = ARRIVAL_MS,
  ): Promise<T[]> {
    return new Promise((resolve, reject) => {
      const stop = (settle: () => void) => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        settle();
      };
      const look = () => {
        const found = this.all.filter(matches);
        if (found.length >= count) stop(() => resolve(found.slice(0, count)));
      };
      const timer = setTimeout(() => {
        const found = this.all.filter(matches).length;
        stop(() => reject(new Error(`${found} of ${count} messages arrived in ${timeoutMs} ms`)));
      }, timeoutMs);
      this.#watchers.add(look);
      look();
    });
  }
}
