/**
 * Wakes what waits for work in this process. A notify is a hint, never a promise: whoever listens polls as well, and
 * other processes' work is found by polling alone.
 */
export interface Wakeups {
  notify(topic: string): void;
  /** Resolves at the next notify of the topic, after `ms`, or when the signal aborts. */
  wait(topic: string, ms: number, signal: AbortSignal): Promise<void>;
}

export function createWakeups(): Wakeups {
  const waiting = new Map<string, Set<() => void>>();
  const rung = new Set<string>();
  return {
    notify(topic) {
      const all = waiting.get(topic);
      if (!all || all.size === 0) rung.add(topic);
      else for (const wake of [...all]) wake();
    },
    wait(topic, ms, signal) {
      if (rung.delete(topic) || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const all = waiting.get(topic) ?? new Set();
        waiting.set(topic, all);
        const wake = () => {
          clearTimeout(timer);
          all.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        all.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    },
  };
}
