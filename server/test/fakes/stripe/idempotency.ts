import { StripeFailure } from './failure.ts';
import type { Form, Value } from './form.ts';

export interface Answer {
  status: number;
  body: string;
  requestId: string;
}

interface Entry {
  path: string;
  parameters: string;
  since: number;
  /** Absent while the first request is still running. */
  answer?: Answer;
}

export interface IdempotencyKeys {
  /** The response stored for this key, or undefined if the request must run now. Throws on misuse. */
  begin(key: string, path: string, form: Form): Answer | undefined;
  keep(key: string, answer: Answer): void;
  release(key: string): void;
}

const keptMs = 24 * 3600 * 1000;

/** Results by idempotency key, replayed for 24 hours: https://docs.stripe.com/api/idempotent_requests. */
export function idempotencyKeys(now: () => Date): IdempotencyKeys {
  const entries = new Map<string, Entry>();
  return {
    begin(key, path, form) {
      if (key.length > 255) {
        throw failure(400, 'Idempotency keys are limited to 255 characters.');
      }
      const parameters = canonical(form);
      const entry = entries.get(key);
      if (!entry || now().getTime() - entry.since > keptMs) {
        entries.set(key, { path, parameters, since: now().getTime() });
        return undefined;
      }
      if (entry.path !== path) {
        throw failure(
          400,
          `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${path}' vs '${entry.path}'). Try using a key other than '${key}' if you meant to execute a different request.`,
        );
      }
      if (entry.parameters !== parameters) {
        throw failure(
          400,
          `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
        );
      }
      if (entry.answer) return entry.answer;
      throw failure(
        409,
        `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
        'idempotency_key_in_use',
      );
    },
    keep(key, answer) {
      const entry = entries.get(key);
      if (entry) entry.answer = answer;
    },
    release(key) {
      if (!entries.get(key)?.answer) entries.delete(key);
    },
  };
}

function failure(status: number, message: string, code?: string): StripeFailure {
  return new StripeFailure(
    status,
    { type: 'idempotency_error', message, ...(code === undefined ? {} : { code }) },
    false,
  );
}

/** A text that does not depend on the order of the parameters. */
function canonical(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const fields = Object.keys(value).sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? '')}`).join()}}`;
}
