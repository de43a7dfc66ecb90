import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy with a configurable treatment of headers. */
export async function startReverseProxy(
  target: string,
  rewrite: (headers: IncomingHttpHeaders) => IncomingHttpHeaders,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((incoming, answer) => {
    const { url = '/', method = 'GET' } = incoming;
    const outgoing = request(new URL(url, target), { method, headers: rewrite({ ...incoming.headers }) });
    outgoing.on('response', (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(answer);
    });
    outgoing.on('error', () => answer.writeHead(502).end());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
