import { openLive } from '@sixdigit/contract/live.ts';
import { type Server, serve } from '../http/serve.ts';
import { type LiveRows, STREAM_HEADERS } from './live.ts';

export function liveRoutes(server: Server, app: { liveRows: LiveRows }): void {
  serve(server, openLive, ({ caller, reply }) => {
    reply.headers(STREAM_HEADERS);
    return app.liveRows.open(caller);
  });
  // Open streams would delay a shutdown.
  server.addHook('preClose', async () => app.liveRows.close());
}
