/**
 * Wakes waiting jobs in this process. A notification is only a hint, because listeners also poll, and polling is the only way
 * they find other processes' work.
 */
export interface Wakeups {
  notify(topic: string): void;
  /** Resolves at the next notification of the topic, after `ms`, or when the signal aborts. */
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
