import { openLive } from '@sixdigit/contract/live.ts';
import { type Server, serve } from '../http/serve.ts';
import type { LiveRows } from './live.ts';

export function liveRoutes(server: Server, app: { liveRows: LiveRows }): void {
  serve(server, openLive, ({ caller, reply }) => {
    reply.headers({
      // Makes nginx forward each event immediately, and keeps proxies from compressing the stream.
      'X-Accel-Buffering': 'no',
      'Cache-Control': 'no-store, no-transform',
      // A connection that stays open after its stream would delay a shutdown.
      Connection: 'close',
    });
    return app.liveRows.open(caller);
  });
  // Open streams would delay a shutdown.
  server.addHook('preClose', async () => app.liveRows.close());
}
