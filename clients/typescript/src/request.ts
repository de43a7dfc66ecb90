import { errorOf, objectIn, type Received, SixdigitError } from './error.ts';

/** Options of a client. */
export interface SixdigitOptions {
  /** `sd_live_…` or `sd_test_…`. Keep it on your server. */
  apiKey: string;
  /** The base URL that the docs screen shows, such as `https://otp.example.com/api/v1`. The path may be left out. */
  baseUrl: string;
  /** How long one attempt may take. Default 10,000. */
  timeoutMs?: number | undefined;
  /** How often a call is repeated after a failure that a repetition can cure. Default 2. */
  retries?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** Options of a call. */
export interface CallOptions {
  /** Ends the call, also while it waits for a retry. */
  signal?: AbortSignal | undefined;
  /**
   * For `send` and `verify`: repetitions with the same key and body have one effect, for 24 hours. By default each call makes its
   * own. Pass one, such as the id of a job, to make repetitions safe across restarts.
   */
  idempotencyKey?: string | undefined;
}

export interface Call extends CallOptions {
  method: 'GET' | 'POST';
  path: string;
  body?: object | undefined;
}

/** Longer waits are left to the caller, who finds them in `retryAfter`. */
const LONGEST_WAIT_SECONDS = 10;
const FIRST_PAUSE_MS = 100;

/** The address of the API: with the path `/api/v1` unless the given address has a path. */
export function apiUrl(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must begin with https:// or http://');
  const path = url.pathname.replace(/\/+$/, '');
  return url.origin + (path || '/api/v1');
}

/** Longer timers end at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * JSON has no `bigint`. As text, a code or a number keeps all of its digits. It would write a `Map` as an empty object, and a number
 * that is not finite as null, which counts as absent.
 */
function plain(name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Map) return Object.fromEntries(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`${name} must be a finite number`);
  return value;
}

/** Makes calls for one key, and repeats them when that is safe and useful. */
export class Transport {
  readonly #url: string;
  readonly #apiKey: string;
  readonly #timeoutMs: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  constructor({ apiKey, baseUrl, timeoutMs = 10_000, retries = 2, fetch: given }: SixdigitOptions) {
    const key = apiKey?.trim();
    // `fetch` would report another character as a failed connection.
    if (!key || !/^[\x21-\x7e]+$/.test(key)) throw new TypeError('apiKey must be an API key of Sixdigit');
    if (!baseUrl) throw new TypeError('baseUrl must be the base URL of your Sixdigit');
    this.#url = apiUrl(baseUrl);
    this.#apiKey = key;
    if (!(timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS))
      throw new TypeError('timeoutMs must be a number of milliseconds above 0');
    if (!Number.isInteger(retries) || retries < 0) throw new TypeError('retries must be a whole number');
    this.#timeoutMs = timeoutMs;
    this.#retries = retries;
    this.#fetch = given ?? ((...args) => fetch(...args));
  }

  /**
   * Resolves with the reply. Throws a `SixdigitError`, or the signal's reason. `onRetry` is called before a repetition of a request
   * that the service may have processed.
   */
  async call<T>(call: Call, onRetry?: () => void): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt<T>(call);
      } catch (error) {
        if (!(error instanceof SixdigitError) || attempt >= this.#retries) throw error;
        const waitMs = pauseMs(error, attempt);
        if (waitMs === undefined) throw error;
        if (error.status === 0) onRetry?.();
        await sleep(waitMs, call.signal);
      }
    }
  }

  async #attempt<T>(call: Call): Promise<T> {
    const received = await this.#receive(call);
    const reply = received.status >= 200 && received.status < 300 ? objectIn(received.text) : undefined;
    if (!reply) throw errorOf(received);
    return reply as T;
  }

  async #receive({ method, path, body, idempotencyKey, signal }: Call): Promise<Received> {
    signal?.throwIfAborted();
    const text = body && JSON.stringify(body, plain);
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      controller.abort();
    }, this.#timeoutMs);
    try {
      const response = await this.#fetch(this.#url + path, {
        method,
        headers: {
          accept: 'application/json',
          'x-api-key': this.#apiKey,
          ...(text ? { 'content-type': 'application/json' } : {}),
          ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
        },
        ...(text ? { body: text } : {}),
        // A redirect must not take the key to another host, or turn POST into GET.
        redirect: 'manual',
        signal: controller.signal,
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (cause) {
      signal?.throwIfAborted();
      throw isLate
        ? new SixdigitError('timeout', `No response within ${this.#timeoutMs} ms`, { cause })
        : new SixdigitError('connection_failed', `The connection to ${this.#url} failed`, { cause });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }
}

/** How long to wait before the next attempt; undefined if a repetition would not help. */
function pauseMs({ status, reason, retryAfter }: SixdigitError, attempt: number): number | undefined {
  const isTemporary = status === 0 || status === 502 || status === 503 || status === 504;
  const isTooEarly = retryAfter !== undefined && (status === 429 || reason === 'idempotency_key_in_flight');
  if (!isTemporary && !isTooEarly) return undefined;
  if ((retryAfter ?? 0) > LONGEST_WAIT_SECONDS) return undefined;
  // Clients that failed together spread their retries.
  const backoffMs = FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random() / 2);
  return (retryAfter ?? 0) * 1000 + backoffMs;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
