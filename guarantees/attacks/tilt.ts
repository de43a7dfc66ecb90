import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TiltOrder, TiltReport } from './full-tilt.ts';

/** Makes these calls at full speed in a thread of its own, until `stop`. */
export async function startTilt(workerData: TiltOrder): Promise<{ stop(): Promise<TiltReport> }> {
  const thread = new Worker(new URL('./full-tilt.ts', import.meta.url), { workerData });
  await once(thread, 'online');
  return {
    async stop() {
      thread.postMessage('stop');
      const [report] = (await once(thread, 'message')) as [TiltReport];
      await thread.terminate();
      return report;
    },
  };
}
