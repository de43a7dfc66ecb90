import { StripeFailure } from './failure.ts';

export interface Answer {
  status: number;
  body: string;
}

/** A request under an idempotency key. */
export interface Keyed {
  key: string;
  path: string;
  parameters: string;
}

export interface IdempotencyKeys {
  /** The response stored for this key, or undefined if the request must run now. Throws on misuse. */
  find(request: Keyed): Answer | undefined;
  keep(request: Keyed, answer: Answer): void;
}

const keptMs = 24 * 3600 * 1000;

/** Results by idempotency key, replayed for 24 hours: https://docs.stripe.com/api/idempotent_requests. */
export function idempotencyKeys(now: () => Date): IdempotencyKeys {
  const entries = new Map<string, Keyed & { since: number; answer: Answer }>();
  return {
    find({ key, path, parameters }) {
      if (key.length > 255) throw misuse('Idempotency keys are limited to 255 characters.');
      const entry = entries.get(key);
      if (!entry || now().getTime() - entry.since > keptMs) return undefined;
      if (entry.path === path && entry.parameters === parameters) return entry.answer;
      const same = entry.path === path ? 'with the same parameters' : 'for the same endpoint';
      throw misuse(`Keys for idempotent requests can only be used ${same} they were first used with.`);
    },
    keep: (request, answer) => void entries.set(request.key, { ...request, answer, since: now().getTime() }),
  };
}

const misuse = (message: string) => new StripeFailure(400, { type: 'idempotency_error', message }, false);
