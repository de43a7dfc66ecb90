import type { Server } from './serve.ts';

/** Repeats work while the server is open. `atClose`: also once more when it closes, for work that writes what has gathered. */
export function every(
  server: Server,
  ms: number,
  work: () => Promise<unknown>,
  { atClose }: { atClose: boolean },
): void {
  const timer = setInterval(() => void work(), ms);
  timer.unref();
  server.addHook('onClose', async () => {
    clearInterval(timer);
    if (atClose) await work();
  });
}
