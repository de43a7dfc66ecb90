import { Readable } from 'node:stream';
import { monotonicMs } from '../clock.ts';

/** In UTF-16 code units, most of which are one byte in UTF-8. */
const PIECE = 64 * 1024;
/** The minimum rate, which even a slow mobile connection exceeds. */
const BYTES_PER_MS = 100;
/** How far a client may fall behind the minimum rate, to tolerate a pause of its network. */
const SLACK_MS = 5_000;

/** Streams texts that are fetched one by one, as fast as the consumer reads. */
export class PartStream extends Readable {
  readonly #more: () => Promise<string | null>;
  readonly #stalledMs: number;
  #part: string;
  #stalled: NodeJS.Timeout | undefined;
  /** when a client that is slower than the minimum rate will have used up its tolerance */
  #dueMs = monotonicMs() + SLACK_MS;
  #askedMs = 0;
  #isWaitingForClient = false;

  /** `more` returns null after the last text. The stream ends if its consumer reads nothing for `stalledMs`. */
  constructor(first: string, more: () => Promise<string | null>, stalledMs: number) {
    super({ encoding: 'utf8', highWaterMark: PIECE });
    this.#part = first;
    this.#more = more;
    this.#stalledMs = stalledMs;
  }

  /** How many milliseconds the client is behind the minimum rate. Time spent in the database does not count. */
  behindMs(): number {
    return this.#isWaitingForClient ? monotonicMs() - this.#dueMs : 0;
  }

  override _read(): void {
    clearTimeout(this.#stalled);
    this.#isWaitingForClient = false;
    this.#askedMs = monotonicMs();
    this.#next().then(
      (piece) => {
        if (this.destroyed) return;
        if (piece !== null) this.#awaitClient(piece.length);
        this.push(piece, 'utf8');
      },
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#stalled);
    done(error);
  }

  #awaitClient(bytes: number): void {
    const nowMs = monotonicMs();
    const dueMs = this.#dueMs + (nowMs - this.#askedMs) + bytes / BYTES_PER_MS;
    this.#dueMs = Math.min(dueMs, nowMs + SLACK_MS);
    this.#isWaitingForClient = true;
    this.#stalled = setTimeout(() => this.destroy(new Error('The client stopped reading')), this.#stalledMs);
    this.#stalled.unref();
  }

  /** Skips parts without a matching row, because an empty piece would stop the stream. */
  async #next(): Promise<string | null> {
    while (this.#part.length === 0) {
      const text = await this.#more();
      if (text === null || this.destroyed) return null;
      this.#part = text;
    }
    // Does not split a surrogate pair.
    const end = /[\uD800-\uDBFF]/.test(this.#part.charAt(PIECE - 1)) ? PIECE - 1 : PIECE;
    const piece = this.#part.slice(0, end);
    this.#part = this.#part.slice(end);
    return piece;
  }
}
