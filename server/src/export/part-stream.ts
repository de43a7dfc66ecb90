import { Readable } from 'node:stream';

/** Texts that are read one by one, as fast as they are consumed. */
export class PartStream extends Readable {
  readonly #more: () => Promise<string | null>;
  readonly #stalledMs: number;
  #first: string | undefined;
  #stalled: NodeJS.Timeout | undefined;

  /** `more` returns null after the last text. A consumer that takes nothing for `stalledMs` ends the stream. */
  constructor(first: string, more: () => Promise<string | null>, stalledMs: number) {
    super({ encoding: 'utf8', highWaterMark: 64 * 1024 });
    this.#first = first;
    this.#more = more;
    this.#stalledMs = stalledMs;
  }

  override _read(): void {
    clearTimeout(this.#stalled);
    this.#next().then(
      (text) => {
        if (this.destroyed) return;
        this.push(text, 'utf8');
        if (text === null) return;
        this.#stalled = setTimeout(
          () => this.destroy(new Error('The client stopped reading')),
          this.#stalledMs,
        );
        this.#stalled.unref();
      },
      (error: Error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#stalled);
    done(error);
  }

  /** Parts without a matching row are skipped: an empty piece would stop the stream. */
  async #next(): Promise<string | null> {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) return first;
    for (;;) {
      const text = await this.#more();
      if (text !== '' || this.destroyed) return text;
    }
  }
}
