import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/**
 * Imitates a pooler: a PostgreSQL proxy whose cancellation key (BackendKeyData) differs from the server's.
 */
export async function startPooler(url: string): Promise<AsyncDisposable & { url: string }> {
  const { hostname, port } = new URL(url);
  const server = createServer((near) => {
    const far = connect(Number(port || 5432), hostname);
    near.pipe(far);
    far.on('data', (bytes) => {
      // 'K', the length of 12, the process id, the secret
      const at = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
      if (at >= 0) bytes.writeUInt32BE(4_242_424, at + 5);
      near.write(bytes);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
