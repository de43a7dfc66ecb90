import { Sixdigit, type SixdigitClient, SixdigitError } from 'sixdigit';
import { FakeSixdigit } from 'sixdigit/fake';
import { CallFailed, type PythonProcess } from './python.ts';

type Fields = Record<string, unknown>;

/** A client in any language, with the results as the API returns them. A failed call throws a `CallFailed`. */
export interface Driver {
  send(fields: Fields, idempotencyKey?: string): Promise<Fields>;
  /** The verification is named by its id, or by fields such as its recipient. */
  verify(of: string | Fields, code: string): Promise<Fields>;
  get(otp_id: string): Promise<Fields>;
  challenge(recipient: string): Promise<Fields>;
  resend(otp_id: string, fields: Fields, idempotencyKey?: string): Promise<Fields>;
  cancel(otp_id: string): Promise<Fields>;
  outcome(otp_id: string, verified: boolean): Promise<Fields>;
}

export interface Access {
  apiKey: string;
  baseUrl: string;
  timeoutMs?: number;
}

/** A fake, in any language. */
export interface FakeDriver extends Driver {
  codeFor(recipient: string): Promise<string>;
  advance(seconds: number): Promise<void>;
}

async function translated<T>(call: Promise<T>): Promise<Fields> {
  try {
    return (await call) as Fields;
  } catch (error) {
    if (!(error instanceof SixdigitError)) throw error;
    const { message, reason, status, facts, fieldErrors, retryAfter, requestId } = error;
    throw new CallFailed({
      message,
      reason,
      status,
      facts,
      field_errors: fieldErrors,
      retry_after: retryAfter ?? null,
      request_id: requestId ?? null,
    });
  }
}

const named = (of: string | Fields): Fields => (typeof of === 'string' ? { otp_id: of } : of);

const inTypeScript = (client: SixdigitClient): Driver => ({
  send: (fields, idempotencyKey) => translated(client.send(fields as never, { idempotencyKey })),
  verify: (of, code) => translated(client.verify({ ...named(of), code })),
  get: (otp_id) => translated(client.get(otp_id)),
  challenge: (recipient) => translated(client.challenge({ recipient })),
  resend: (otp_id, fields, idempotencyKey) =>
    translated(client.resend(otp_id, fields as never, { idempotencyKey })),
  cancel: (otp_id) => translated(client.cancel(otp_id)),
  outcome: (otp_id, verified) => translated(client.outcome(otp_id, { verified })),
});

const inPython = (python: PythonProcess, client: string): Driver => {
  const call = (name: string, args: Fields) => python.call({ client, call: name, args }) as Promise<Fields>;
  return {
    send: (fields, idempotencyKey) =>
      call('send', { ...fields, ...(idempotencyKey ? { idempotency_key: idempotencyKey } : {}) }),
    verify: (of, code) => call('verify', { ...named(of), code }),
    get: (otp_id) => call('get', { otp_id }),
    challenge: (recipient) => call('challenge', { recipient }),
    resend: (otp_id, fields, idempotencyKey) =>
      call('resend', { otp_id, ...fields, ...(idempotencyKey ? { idempotency_key: idempotencyKey } : {}) }),
    cancel: (otp_id) => call('cancel', { otp_id }),
    outcome: (otp_id, verified) => call('outcome', { otp_id, verified }),
  };
};

export const LANGUAGES = ['TypeScript', 'Python', 'Python with asyncio'] as const;
export type Language = (typeof LANGUAGES)[number];

let made = 0;

/** A client of a service. */
export async function driverOf(
  language: Language,
  python: PythonProcess,
  { apiKey, baseUrl, timeoutMs = 10_000 }: Access,
): Promise<Driver> {
  if (language === 'TypeScript') return inTypeScript(new Sixdigit({ apiKey, baseUrl, timeoutMs }));
  made += 1;
  const client = `client ${made}`;
  await python.call({
    call: 'new',
    client,
    class: language === 'Python' ? 'Sixdigit' : 'AsyncSixdigit',
    args: { api_key: apiKey, base_url: baseUrl, timeout: timeoutMs / 1000 },
  });
  return inPython(python, client);
}

export async function fakeDriverOf(language: Language, python: PythonProcess): Promise<FakeDriver> {
  if (language === 'TypeScript') {
    const fake = new FakeSixdigit();
    return {
      ...inTypeScript(fake),
      codeFor: async (recipient) => fake.codeFor(recipient),
      advance: async (seconds) => fake.advance(seconds),
    };
  }
  made += 1;
  const client = `fake ${made}`;
  await python.call({
    call: 'new',
    client,
    class: language === 'Python' ? 'FakeSixdigit' : 'AsyncFakeSixdigit',
  });
  return {
    ...inPython(python, client),
    codeFor: async (recipient) =>
      String(await python.call({ client, call: 'code_for', args: { recipient } })),
    advance: async (seconds) => void (await python.call({ client, call: 'advance', args: { seconds } })),
  };
}
