import { followEvents } from '@sixdigit/contract/events.ts';
import { type ApiCaller, hashOfKey } from '../api-keys/api-keys.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import { STREAM_HEADERS } from '../platform/live/live.ts';
import { isUuid } from '../platform/security/random.ts';
import type { EventStreams } from './events.ts';

export function eventRoutes(server: Server, app: { eventStreams: EventStreams }): void {
  serve(server, followEvents, ({ caller, query, request, reply }) => {
    const { account_id, api_key_id, is_test } = caller as ApiCaller;
    const last = request.headers['last-event-id'];
    const last_id = typeof last === 'string' && isUuid(last) ? last.toLowerCase() : undefined;
    const use = {
      hash: hashOfKey(String(request.headers['x-api-key'])),
      ip: request.ip,
      scope: followEvents.scope,
    };
    const stream = app.eventStreams.open(
      { account_id, api_key_id, is_test, topic: query.topic, use },
      last_id,
    );
    reply.headers(STREAM_HEADERS);
    return stream;
  });
  // Open streams would delay a shutdown.
  server.addHook('preClose', async () => app.eventStreams.close());
}
