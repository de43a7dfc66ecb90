/** Why a call brought no answer. Each has one meaning for the customer, who reads it in the list of attempts. */
export type Reason =
  | 'invalid_url'
  | 'blocked_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  | 'too_large'
  | 'protocol';

/** The message is shown to the customer: it names no address of ours and nothing that a name resolved to. */
export class ConnectionFailure extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** A signal that aborts with a `timeout` connectionFailure after `ms`, real time; `using` it stops the timer. */
export function timeLimit(ms: number, detail: string): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new ConnectionFailure('timeout', detail)), ms);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : 'unknown error';
}
