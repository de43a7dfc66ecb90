/** One kind of fault and the guarantees that must survive it. */
export interface Scenario {
  name: string;
  /** the fault, in one line */
  injects: string;
  run(): Promise<Check[]>;
}

export interface Check {
  what: string;
  promised: string;
  seen: string;
  holds: boolean;
}

export const print = (text: string): void => console.log(text);
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** A count that must be zero. `of` must not be zero, or the check proves nothing. */
export const none = (what: string, count: number, of?: number): Check => ({
  what,
  promised: '0',
  seen: of === undefined ? String(count) : `${count} of ${of}`,
  holds: count === 0 && of !== 0,
});

export const atMost = (what: string, mostMs: number, ms: number): Check => ({
  what,
  promised: `≤ ${seconds(mostMs)}`,
  seen: seconds(ms),
  holds: ms <= mostMs,
});

/** Checks that the fault happened: a run without it proves nothing. */
export const some = (what: string, count: number): Check => ({
  what,
  promised: '> 0',
  seen: String(count),
  holds: count > 0,
});

/** Milliseconds until `holds` is true, or `mostMs` if it never is. */
export async function until(mostMs: number, holds: () => Promise<boolean>): Promise<number> {
  const from = Date.now();
  while (Date.now() - from < mostMs) {
    if (await holds().catch(() => false)) return Date.now() - from;
    await wait(100);
  }
  return mostMs;
}
