/**
 * Signatures of the Standard Webhooks specification 1.0.0 (symmetric, `v1`), for requests to webhook endpoints and to the HTTP
 * carrier, and for delivery reports from that carrier.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';

const prefix = 'whsec_';

/**
 * The key of a secret: `whsec_` is followed by base64; any other text is used verbatim (UTF-8), which the libraries call
 * `format: 'raw'`. Throws if the key is empty.
 */
export function parseSecret(secret: string): Buffer {
  const key = keyOf(secret);
  if (key.length === 0) throw new Error('A signing secret must not be empty');
  return key;
}

const keyOf = (secret: string): Buffer =>
  secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), 'base64')
    : Buffer.from(secret, 'utf8');

const LEAST_BYTES = 16;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** The standard's prefixes of secrets and of the keys for asymmetric signatures. */
const OF_THE_STANDARD = /wh(?:sec|sk|pk)_/i;
const QUOTES: readonly [string, string][] = [
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
  ['\u201c', '\u201d'],
  ['\u2018', '\u2019'],
];

/**
 * The secret in a pasted text, without surrounding blanks, invisible characters and quotes, and without the version in
 * `v1,whsec_…`, which some services show. If libraries would read the text as different keys, returns a `problem`: the end of a
 * sentence that begins with the setting's name.
 */
export function readSecret(given: string): { secret: string } | { problem: string } {
  const secret = withoutDress(given);
  // Webhook libraries disagree on how to encode other characters.
  if (!/^[ -~]*$/.test(secret)) return { problem: 'must consist of ASCII characters' };
  if (/^["'`]|["'`]$/.test(secret)) return { problem: 'must not begin or end with a quote' };
  if (/^v\d\w*,/.test(secret))
    return {
      problem: 'must not begin with a version: leave out all before whsec_, or enter the secret alone',
    };
  if (OF_THE_STANDARD.test(secret)) {
    if (!secret.startsWith(prefix)) return { problem: 'must begin with whsec_ if it contains it' };
    if (!BASE64.test(secret.slice(prefix.length)))
      return { problem: 'must be base64 after whsec_, padded with = to a multiple of four characters' };
  }
  if (secret === '' || secret === prefix || parseSecret(secret).length < LEAST_BYTES)
    return { problem: `must have at least ${LEAST_BYTES} bytes` };
  return { secret };
}

function withoutDress(text: string): string {
  const bare = text.replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '').replace(/^v1, *(?=["'`]?whsec_)/, '');
  const isQuoted = QUOTES.some(
    ([open, close]) => bare.length > 1 && bare.startsWith(open) && bare.endsWith(close),
  );
  return bare === text && !isQuoted ? bare : withoutDress(isQuoted ? bare.slice(1, -1) : bare);
}

export interface Unsigned {
  /** The same for every attempt to deliver one message. */
  id: string;
  at: Date;
  /** Must be exactly the bytes that are sent. */
  body: string | Buffer;
}

/** The three headers, with one signature per secret, because during a rotation the receiver may hold either secret. */
export function signedHeaders(message: Unsigned, secrets: readonly string[]): SignatureHeaders {
  const timestamp = Math.floor(message.at.getTime() / 1000);
  const signatures = secrets.map(
    (secret) => `v1,${mac(parseSecret(secret), message.id, timestamp, message.body)}`,
  );
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
  /** The beginning of the headers' names; `webhook` unless given. */
  names?: 'webhook' | 'svix';
}

/** True if a signature matches and the timestamp is fresh. Never throws: nothing matches a secret that is too short. */
export function verifySigned(signed: Signed): boolean {
  const { headers, rawBody, now, toleranceSeconds = 300, names = 'webhook' } = signed;
  const id = headers[`${names}-id`];
  const timestamp = headers[`${names}-timestamp`];
  const signatures = headers[`${names}-signature`];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (id === '' || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp)) > toleranceSeconds) return false;

  const key = keyOf(signed.secret);
  if (key.length < LEAST_BYTES) return false;
  const expected = Buffer.from(mac(key, id, timestamp, rawBody));
  return signatures.split(' ').some((candidate) => {
    const [version, signature = ''] = candidate.split(',');
    const given = Buffer.from(signature);
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function mac(key: Buffer, id: string, timestamp: number | string, body: string | Buffer): string {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
}
