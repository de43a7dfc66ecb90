import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Signatures of the Standard Webhooks specification 1.0.0 (symmetric, `v1`), for requests to webhook endpoints and to the HTTP
 * carrier, and for delivery reports from that carrier.
 */
const prefix = 'whsec_';

/**
 * The key of a secret: `whsec_` is followed by base64; any other text is used verbatim (UTF-8), which the libraries call
 * `format: 'raw'`. Throws if the key is empty.
 */
export function parseSecret(secret: string): Buffer {
  const key = secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), 'base64')
    : Buffer.from(secret, 'utf8');
  if (key.length === 0) throw new Error('A signing secret must not be empty');
  return key;
}

/**
 * Whether every library decodes this text to the same key: not empty and, after `whsec_`, base64 with padding, which Go's
 * library requires.
 */
export function isUsableSecret(secret: string): boolean {
  if (!secret.startsWith(prefix)) return secret.length > 0;
  const base64 = secret.slice(prefix.length);
  return base64.length > 0 && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64);
}

export interface Unsigned {
  /** The same for every attempt at one message. */
  id: string;
  at: Date;
  /** Exactly the bytes that are sent. */
  body: string | Buffer;
}

/** The three headers, with one signature per secret, because during a rotation the receiver may hold either secret. */
export function signedHeaders(message: Unsigned, secrets: readonly string[]): SignatureHeaders {
  const timestamp = Math.floor(message.at.getTime() / 1000);
  const signatures = secrets.map((secret) => `v1,${mac(secret, message.id, timestamp, message.body)}`);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

export type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>;

export interface Signed {
  secret: string;
  /** Header names in lower case, as in Node. */
  headers: Record<string, string | string[] | undefined>;
  /** The body as received, before parsing. */
  rawBody: string | Buffer;
  now: Date;
  /** How far the timestamp may lie in the past or in the future. */
  toleranceSeconds?: number;
}

/** True if a signature matches and the timestamp is fresh. */
export function verifySigned(signed: Signed): boolean {
  const { headers, rawBody, now, toleranceSeconds = 300 } = signed;
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp)) > toleranceSeconds) return false;

  const expected = Buffer.from(mac(signed.secret, id, timestamp, rawBody));
  return signatures.split(' ').some((candidate) => {
    const [version, signature = ''] = candidate.split(',');
    const given = Buffer.from(signature);
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function mac(secret: string, id: string, timestamp: number | string, body: string | Buffer): string {
  return createHmac('sha256', parseSecret(secret))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64');
}
