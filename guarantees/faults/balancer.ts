import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A reverse proxy with keep-alive connections to several processes. It sends no request for a second to a process that refused a
 * connection. It never repeats a request that it has written, so every broken connection counts.
 */
export interface Balancer extends AsyncDisposable {
  port: number;
  /** connections that closed after a request was written, by error code */
  broken: Map<string, number>;
}

interface Upstream {
  port: number;
  agent: Agent;
  awayUntil: number;
}

const AWAY_MS = 1_000;

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const broken = new Map<string, number>();
  const upstreams: Upstream[] = ports.map((port) => ({
    port,
    agent: new Agent({ keepAlive: true, maxSockets: 64, timeout: 30_000 }),
    awayUntil: 0,
  }));
  let turn = 0;
  const next = (): Upstream => {
    const here = upstreams.filter(({ awayUntil }) => awayUntil < Date.now());
    const among = here.length > 0 ? here : upstreams;
    return among[turn++ % among.length] as Upstream;
  };

  const forward = (incoming: IncomingMessage, body: Buffer, answer: ServerResponse, tries: number): void => {
    const upstream = next();
    const { url: path = '/', method = 'GET', headers } = incoming;
    const outgoing = request({
      host: '127.0.0.1',
      port: upstream.port,
      agent: upstream.agent,
      path,
      method,
      headers,
    });
    outgoing.on('response', (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(answer);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && tries > 0) {
        upstream.awayUntil = Date.now() + AWAY_MS;
        return forward(incoming, body, answer, tries - 1);
      }
      const cause = error.code ?? error.message;
      broken.set(cause, (broken.get(cause) ?? 0) + 1);
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end('{}');
    });
    outgoing.end(body);
  };

  const server = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => forward(incoming, Buffer.concat(chunks), answer, upstreams.length));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    broken,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const { agent } of upstreams) agent.destroy();
      await closed;
    },
  };
}
