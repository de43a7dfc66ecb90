import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../free-ports.ts';

/** A TCP proxy that can disconnect, reconnect, delay or drop traffic. */
export class TcpProxy implements AsyncDisposable {
  readonly #target: { host: string; port: number };
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Set<Socket>();
  #server: Server | undefined;
  #port: number | undefined;
  /** Holds all bytes while set, without closing connections. */
  #isFrozen = false;
  /** Delay in each direction, for new connections. */
  delayMs = 0;
  /** Imitates a pooler without a database: new connections complete the handshake and get no responses. */
  greetsOnly = false;
  /** Connections whose bytes are dropped. For `answers`, only bytes towards the client are dropped. */
  readonly #holes = new Map<Socket, 'answers' | 'everything'>();

  constructor(target: { host: string; port: number }) {
    this.#target = target;
  }

  get port(): number {
    return this.#port ?? 0;
  }

  /** Accepts connections again, on the same port. */
  async join(): Promise<this> {
    this.#isFrozen = false;
    for (const socket of this.#sockets) socket.resume();
    if (this.#server) return this;
    this.#server = createServer((near) => {
      const far = connect(this.#target);
      const { delayMs, greetsOnly } = this;
      this.#clients.add(near);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.setNoDelay(true);
        from.on('data', (bytes) => {
          const hole = this.#holes.get(near);
          if (hole === 'everything' || (hole === 'answers' && from === far)) return;
          if (greetsOnly && from === near && isQuestion(bytes)) return;
          if (delayMs === 0) to.write(bytes);
          else setTimeout(() => to.destroyed || to.write(bytes), delayMs);
        });
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          this.#holes.delete(from);
          this.#clients.delete(from);
          to.destroy();
        });
        if (this.#isFrozen) from.pause();
      }
    });
    this.#port ??= await freePort();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  /** Closes every connection and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  /** Drops all traffic in both directions without closing connections. */
  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Drops all further traffic of the open connections. New connections work. */
  swallow(what: 'answers' | 'everything'): void {
    for (const client of this.#clients) this.#holes.set(client, what);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cut();
  }
}

/** Whether the bytes begin a query in PostgreSQL's protocol (Query or Parse). */
const isQuestion = (bytes: Buffer): boolean => bytes[0] === 0x51 || bytes[0] === 0x50;

/** Returns the proxy and the URL of the database through it. */
export async function startTcpProxy(url: string): Promise<{ proxy: TcpProxy; url: string }> {
  const { hostname, port } = new URL(url);
  const proxy = await new TcpProxy({ host: hostname, port: Number(port || 5432) }).join();
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(proxy.port);
  return { proxy, url: through.href };
}
