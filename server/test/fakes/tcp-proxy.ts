import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and a server on TCP, to be cut and joined again. */
export class TcpProxy implements AsyncDisposable {
  readonly #target: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  /** Bytes are held back while set; nothing is closed. */
  #isFrozen = false;

  constructor(target: { host: string; port: number }) {
    this.#target = target;
  }

  get port(): number {
    return this.#port;
  }

  /** Takes connections, on the same port as before. */
  async join(): Promise<this> {
    this.#isFrozen = false;
    for (const socket of this.#sockets) socket.resume();
    if (this.#server) return this;
    this.#server = createServer((near) => {
      const far = connect(this.#target);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.setNoDelay(true);
        from.on('data', (bytes) => to.write(bytes));
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        if (this.#isFrozen) from.pause();
      }
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Breaks every connection and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  /** Nothing arrives any more in either direction, and nobody is told. */
  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cut();
  }
}

/** Also gives the URL by which a client goes through it. */
export async function startTcpProxy(url: string): Promise<{ proxy: TcpProxy; url: string }> {
  const { hostname, port } = new URL(url);
  const proxy = await new TcpProxy({ host: hostname, port: Number(port || 5432) }).join();
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(proxy.port);
  return { proxy, url: through.href };
}
