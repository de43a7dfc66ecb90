import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

export type Logger = PinoLogger;

/** Fields that are removed from log lines at any depth. */
const SECRET =
  /^(code|codes|password|confirm_password|current_password|secret|token|tokens|access|refresh|session_token|login_token|link_token|key|api_key|authorization|x-api-key|text|html|message_body|client_secret|recipient|to|cookie)$/i;
/** Patterns of secrets inside texts: API keys, webhook secrets, card-provider secrets, bearer tokens, credentials in URLs. */
const IN_TEXT =
  /sd_(?:live|test|operator)_[0-9A-Za-z]{8,}|whsec_[0-9A-Za-z+/=_-]{8,}|[sr]k_(?:live|test)_[0-9A-Za-z]{8,}|pi_\w{1,64}_secret_\w+|Bearer\s+[\w.~+/-]+=*|:\/\/[^\s/:@]*:[^\s/@]+@/g;

/** Redacts the secrets inside a text. */
export const redactText = (text: string): string =>
  text.replace(IN_TEXT, (found) => (found.startsWith('://') ? '://[redacted]@' : '[redacted]'));

export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (value === null || typeof value !== 'object' || depth > 6) return depth > 6 ? '[deep]' : value;
  if (value instanceof Error) {
    const { name, message, stack } = value;
    const code = 'code' in value && typeof value.code === 'string' ? { error_code: value.code } : {};
    const cause = value.cause === undefined ? {} : { cause: redact(value.cause, depth + 1) };
    return { name, message: redactText(message), stack: redactText(stack ?? ''), ...code, ...cause };
  }
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => redact(item, depth + 1));
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) return '[bytes]';
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      SECRET.test(name) ? '[redacted]' : redact(item, depth + 1),
    ]),
  );
}

/** Without a message, pino uses the error's message, but only after redaction. This sets the message before redaction. */
function withSentence(args: unknown[]): unknown[] {
  const [entry, sentence] = args;
  if (sentence !== undefined || typeof entry !== 'object' || entry === null) return args;
  const error = entry instanceof Error ? entry : (entry as { err?: unknown }).err;
  return error instanceof Error ? [entry, error.message] : args;
}

const STACK_EVERY_MS = 60_000;
const loggedStacks = new Map<string, number>();
const MOST_STACKS = 100;

/** The fields of an error that repeats during an outage: with its stack once a minute, otherwise with its message. */
export function briefly(error: unknown, nowMs: number): { err: unknown } | { why: string } {
  const why = error instanceof Error ? error.message : String(error);
  const name = why.replaceAll(/\d+/g, '0');
  if (Math.abs(nowMs - (loggedStacks.get(name) ?? Number.NEGATIVE_INFINITY)) < STACK_EVERY_MS) return { why };
  if (loggedStacks.size >= MOST_STACKS) loggedStacks.clear();
  loggedStacks.set(name, nowMs);
  return { err: error };
}

/** Logs one JSON line per event. Secrets and codes are redacted by field name and by pattern. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (entry: Record<string, unknown>) => redact(entry) as Record<string, unknown>,
    },
    hooks: {
      logMethod(args: unknown[], method: (...args: unknown[]) => void) {
        method.apply(
          this,
          withSentence(args).map((arg) => (typeof arg === 'string' ? redactText(arg) : arg)) as never,
        );
      },
    },
  };
  return (destination ? pino(options as never, destination) : pino(options as never)) as Logger;
}

/** For a terminal: one readable line per event instead of JSON. Loaded on demand, because servers log to files and pipes. */
export async function readableLines(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ colorize: true, translateTime: 'SYS:HH:MM:ss', sync: true });
}
