import { openLive } from '@sixdigit/contract/live.ts';
import { type Server, serve } from '../http/serve.ts';
import type { LiveRows } from './live.ts';

export function liveRoutes(server: Server, app: { liveRows: LiveRows }): void {
  serve(server, openLive, ({ caller, reply }) => {
    reply.headers({
      // nginx passes each event on at once, and no proxy compresses the stream.
      'X-Accel-Buffering': 'no',
      'Cache-Control': 'no-store, no-transform',
      // A connection that stays open after its stream would hold up a stop.
      Connection: 'close',
    });
    return app.liveRows.open(caller);
  });
  // Open streams would hold up a stop.
  server.addHook('preClose', async () => app.liveRows.close());
}
