import type { Worker } from '../src/platform/queue/job.ts';

/** A worker without heartbeats, which may always claim. */
export const testWorker = (id: string, signal: AbortSignal = new AbortController().signal): Worker => ({
  id,
  signal,
  mayClaim: () => true,
});
