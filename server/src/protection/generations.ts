/**
 * A bounded map that drops the values unused for longest. It has two generations: when the younger one is full, the older one
 * is dropped and the younger takes its place. A value in use moves to the younger one.
 */
export interface Generations<T> {
  find(key: string): T | undefined;
  set(key: string, value: T): void;
  /** Begins a generation if the current one is older than `lifetime`, in the unit of `now`. */
  expire(now: number, lifetime: number): void;
  clear(): void;
  readonly size: number;
  /** How many generations have begun. A value that was found stays findable until the next one. */
  readonly turns: number;
}

export function generations<T>(most: number): Generations<T> {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  let since: number | undefined;
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    old = young;
    young = new Map();
  };
  const set = (key: string, value: T): void => {
    if (young.size >= most / 2) turn();
    young.set(key, value);
  };
  return {
    set,
    find(key) {
      const known = young.get(key);
      if (known !== undefined) return known;
      const older = old.get(key);
      if (older !== undefined) {
        old.delete(key);
        set(key, older);
      }
      return older;
    },
    expire(now, lifetime) {
      since ??= now;
      if (now - since < lifetime) return;
      since = now;
      turn();
    },
    clear() {
      turn();
      turn();
    },
    get size() {
      return young.size + old.size;
    },
    get turns() {
      return turns;
    },
  };
}
