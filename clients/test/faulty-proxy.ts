import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/**
 * What happens to a request. `refuse`: the connection is reset before the service gets it. `unavailable`: 503 with a page
 * instead of the service's response. `lose`: the service processes it, then the connection is reset. `cut`: the connection is
 * reset within the response. `hang`: the service processes it, and its response never arrives.
 */
export type Fault = 'none' | 'refuse' | 'unavailable' | 'lose' | 'cut' | 'hang' | Answer;

/** A response of the proxy's own. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export interface FaultyProxy extends AsyncDisposable {
  url: string;
  /** The faults of the next requests, in order; later ones pass. Also forgets the earlier requests. */
  plan(...faults: Fault[]): void;
  seen: { path: string; idempotencyKey: string | undefined; apiKey: string | undefined }[];
}

/** An HTTP proxy between a client and the service that loses and delays what the test plans. */
export async function faultyProxy(target: string): Promise<FaultyProxy> {
  let planned: Fault[] = [];
  const seen: FaultyProxy['seen'] = [];
  const server = createServer((incoming, outgoing) => {
    const { headers, url = '' } = incoming;
    seen.push({
      path: url,
      idempotencyKey: one(headers['idempotency-key']),
      apiKey: one(headers['x-api-key']),
    });
    serve(planned.shift() ?? 'none', { incoming, outgoing, target }).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    seen,
    plan(...faults) {
      planned = faults;
      seen.length = 0;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const one = (value: string | string[] | undefined): string | undefined => [value].flat()[0];

interface Exchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  target: string;
}

async function serve(fault: Fault, exchange: Exchange): Promise<void> {
  const { incoming, outgoing } = exchange;
  const reset = () => void incoming.socket.resetAndDestroy();
  const body = await bodyOf(incoming);
  if (fault === 'refuse') return reset();
  if (fault === 'unavailable')
    return answer(outgoing, { status: 503, headers: { 'retry-after': '0' }, body: '<h1>Busy</h1>' });
  if (typeof fault === 'object') return answer(outgoing, fault);
  const response = await forward(exchange, body);
  if (fault === 'hang') return;
  if (fault === 'lose') return reset();
  if (fault === 'cut') {
    const length = { ...response.headers, 'content-length': String(response.body.length) };
    outgoing.writeHead(response.status, length).write(response.body.subarray(0, 10), reset);
    return;
  }
  outgoing.writeHead(response.status, response.headers).end(response.body);
}

const answer = (outgoing: ServerResponse, { status, headers = {}, body = '' }: Answer): void =>
  void outgoing.writeHead(status, headers).end(body);

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function forward({ incoming, target }: Exchange, body: Buffer) {
  return new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>((resolve, reject) => {
    const { method, url, headers } = incoming;
    const { 'transfer-encoding': _, connection: __, ...kept } = headers;
    const onward = request(target + url, { method, headers: { ...kept, 'content-length': body.length } });
    onward.once('error', reject);
    onward.once('response', (response) => {
      bodyOf(response).then((text) => {
        const type = one(response.headers['content-type']) ?? 'application/json';
        const names = ['retry-after', 'x-request-id', 'idempotent-replayed'];
        const others = names.flatMap((name) => {
          const value = one(response.headers[name]);
          return value === undefined ? [] : [[name, value]];
        });
        const status = response.statusCode ?? 502;
        resolve({ status, headers: { 'content-type': type, ...Object.fromEntries(others) }, body: text });
      }, reject);
    });
    onward.end(body);
  });
}
