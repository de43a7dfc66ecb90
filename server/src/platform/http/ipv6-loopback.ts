import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer } from 'node:net';

/**
 * Accepts connections to the same port of ::1 as well, because browsers may try it first for `localhost`. `isTaken`: another
 * program answers there, so `localhost` may not be this service. A machine without IPv6 needs nothing. `close` accepts no more
 * connections; those that are open belong to `http`.
 */
export async function listenOnIpv6Loopback(
  http: HttpServer,
  port: number,
): Promise<{ isTaken: boolean; close(): void }> {
  const also = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    http.emit('connection', socket);
  });
  also.listen({ port, host: '::1', ipv6Only: true });
  try {
    await once(also, 'listening');
  } catch (error) {
    return { isTaken: (error as NodeJS.ErrnoException).code === 'EADDRINUSE', close: () => undefined };
  }
  return { isTaken: false, close: () => also.close() };
}
