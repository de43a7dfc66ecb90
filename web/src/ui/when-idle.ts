const IDLE_MOST_MS = 2_000;

/** Runs work that can wait until the screen is drawn. Returns its cancellation. */
export function whenIdle(work: () => void): () => void {
  // Safari has no idle callbacks.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: IDLE_MOST_MS });
  return () => cancelIdleCallback(handle);
}
