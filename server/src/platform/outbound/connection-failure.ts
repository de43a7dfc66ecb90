/** Why a call got no response. Customers see the reason in the list of attempts. */
export type Reason =
  | 'invalid_url'
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'protocol';

/** The customer sees the message, so it contains no internal or resolved address. */
export class ConnectionFailure extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** A signal that aborts with a `timeout` ConnectionFailure after `ms` of real time. `using` clears the timer. */
export function timeLimit(ms: number, detail: string): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new ConnectionFailure('timeout', detail)), ms);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : 'unknown error';
}
