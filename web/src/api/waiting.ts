/** Every wait for something outside the page has a time limit. */

/**
 * Runs work for at most `ms`. Its signal aborts at the limit, or when `outer` aborts. `outer` stays connected after the result,
 * because the body of a stream is read later. Rejects at the limit even if the work ignores its signal.
 */
export async function within<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  outer?: AbortSignal,
): Promise<T> {
  const ending = new AbortController();
  const { signal } = ending;
  const stop = (): void => ending.abort(outer?.reason);
  if (outer?.aborted) stop();
  outer?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(() => ending.abort(new DOMException('No response in time', 'TimeoutError')), ms);
  try {
    return await Promise.race([work(signal), endOf(signal)]);
  } finally {
    clearTimeout(timer);
  }
}

const endOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });

/** Waits for the work to end, but at most `ms`. Ignores its failure. */
export const atMost = (ms: number, work: Promise<unknown>): Promise<void> =>
  within(ms, () => work).then(
    () => undefined,
    () => undefined,
  );

export const pause = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));
