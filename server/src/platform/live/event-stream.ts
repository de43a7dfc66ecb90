import { Readable } from 'node:stream';

/** A client that reads this much too slowly is disconnected. It loads its lists anew when it returns. */
const UNREAD_BYTES = 64 * 1024;

/** Server-sent events, written as they happen. */
export class EventStream extends Readable {
  #unread = 0;
  #isEnded = false;

  constructor() {
    super({ encoding: 'utf8' });
  }

  override _read(): void {
    this.#unread = 0;
  }

  /** An event with a name and data. */
  send(event: string, data: object): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Keeps proxies from closing an idle connection. */
  beat(): void {
    this.#write(': \n\n');
  }

  /** The client comes back after this time. */
  end(reconnectMs: number): void {
    if (this.destroyed || this.#isEnded) return;
    this.#write(`retry: ${reconnectMs}\n\n`);
    this.#isEnded = true;
    this.push(null);
  }

  #write(text: string): void {
    if (this.destroyed || this.#isEnded) return;
    this.#unread += text.length;
    if (this.#unread > UNREAD_BYTES) this.destroy();
    else this.push(text);
  }
}
