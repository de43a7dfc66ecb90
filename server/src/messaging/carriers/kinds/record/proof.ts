import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import type { Proof } from '@sixdigit/contract/operator/carrier-record.ts';
import { verifySigned } from '../../../../platform/signing/standard-webhooks.ts';
import type { CallbackRequest, FieldValues } from '../../carrier.ts';
import { asObject } from '../../post.ts';
import { filled, placeholdersOf } from './fill.ts';

/** Whether an operator has entered the key of a proof. */
export const hasKey = (proof: Proof, fields: FieldValues): boolean => keyOf(proof, fields) !== undefined;

const keyOf = (proof: Proof, fields: FieldValues): string | undefined => {
  if (proof.type === 'basic') return filled(`${proof.username}:${proof.password}`, fields);
  if (proof.type === 'sns') return filled(proof.topic, fields);
  return filled(proof.type === 'jwt' ? proof.secret : proof.key, fields);
};

/** Whether the proof covers the body, or only says who sent the request. */
export function coversBody(proof: Proof): boolean {
  if (proof.type === 'basic' || proof.type === 'standard_webhooks' || proof.type === 'sns') return true;
  if (proof.type === 'jwt') return proof.body_hash !== undefined;
  return placeholdersOf(proof.over).some((name) => ['body', 'body_sha256', 'form'].includes(name));
}

/** Whether the carrier sent a request. Every comparison with a secret takes constant time. */
export function isProved(proof: Proof, request: CallbackRequest, fields: FieldValues): boolean {
  const key = keyOf(proof, fields);
  if (key === undefined) return false;
  switch (proof.type) {
    case 'basic':
      return isSame(headerOf(request, 'authorization'), `Basic ${Buffer.from(key).toString('base64')}`);
    case 'standard_webhooks':
      return verifySigned({ ...request, secret: key, names: proof.headers });
    case 'sns':
      // Its check needs a certificate.
      return false;
    case 'jwt':
      return isJwtOf(proof, request, key);
    case 'hmac': {
      const over = isRecent(proof, request) && signedBytes(proof, request);
      if (!over) return false;
      const secret = proof.key_hash ? createHash(proof.key_hash).update(key).digest() : key;
      const expected = createHmac(proof.hash ?? 'sha256', secret)
        .update(over)
        .digest(proof.encoding);
      return signatures(proof, request).some((given) => isSame(given, expected));
    }
    case 'ed25519': {
      const over = isRecent(proof, request) && signedBytes(proof, request);
      const publicKey = over ? ed25519Key(key) : undefined;
      if (!over || !publicKey) return false;
      return signatures(proof, request).some((given) => {
        const bytes = Buffer.from(given, proof.encoding);
        return bytes.length === 64 && verify(null, over, publicKey, bytes);
      });
    }
  }
}

type Signed = Extract<Proof, { over: string }>;

const headerOf = ({ headers }: CallbackRequest, name: string): string => {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : '';
};

/** A header can hold several signatures, during a change of keys. */
const signatures = (proof: Signed, request: CallbackRequest): string[] =>
  headerOf(request, proof.header)
    .split(',', 8)
    .flatMap((one) => {
      const given = one.trim();
      const prefix = proof.type === 'hmac' ? (proof.prefix ?? '') : '';
      return given.startsWith(prefix) && given !== prefix ? [given.slice(prefix.length)] : [];
    });

function isRecent({ timestamp }: Signed, request: CallbackRequest): boolean {
  if (!timestamp) return true;
  const text = headerOf(request, timestamp.header);
  const given = /^\d{9,14}$/.test(text) ? Number(text) : Number.NaN;
  const atMs = given > 100_000_000_000 ? given : given * 1_000;
  return Math.abs(request.now.getTime() - atMs) <= timestamp.within_seconds * 1_000;
}

function signedBytes({ over, timestamp, nonce }: Signed, request: CallbackRequest): Buffer | undefined {
  const body = Buffer.from(request.rawBody);
  const parts: Record<string, () => Buffer | string> = {
    body: () => body,
    body_sha256: () => createHash('sha256').update(body).digest(),
    url: () => request.url,
    form: () => sortedForm(request.body),
    timestamp: () => (timestamp ? headerOf(request, timestamp.header) : ''),
    nonce: () => (nonce ? headerOf(request, nonce) : ''),
  };
  const pieces = over.split(/(\{[a-z0-9_]+\})/).map((piece) => {
    const name = /^\{(.+)\}$/.exec(piece)?.[1];
    return name === undefined ? piece : Object.hasOwn(parts, name) ? parts[name]?.() : undefined;
  });
  if (pieces.includes(undefined) || (nonce && headerOf(request, nonce) === '')) return undefined;
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece ?? '')));
}

/** The fields of a form, sorted, names and values without separators. */
function sortedForm(body: unknown): string {
  const fields = asObject(body) ?? {};
  return Object.keys(fields)
    .sort()
    .flatMap((name) =>
      [fields[name]]
        .flat()
        .map(String)
        .sort()
        .map((value) => name + value),
    )
    .join('');
}

const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** A public key of 32 bytes in base64; undefined if the text is none. */
export function ed25519Key(text: string) {
  const raw = Buffer.from(text, 'base64');
  if (raw.length !== 32) return undefined;
  return createPublicKey({ key: Buffer.concat([ED25519_PREFIX, raw]), format: 'der', type: 'spki' });
}

/** How old a token without an expiry may be: companies repeat a report for a day. */
const OLDEST_SECONDS = 86_400;
const SKEW_SECONDS = 660;

function isJwtOf(proof: Extract<Proof, { type: 'jwt' }>, request: CallbackRequest, key: string): boolean {
  const token = headerOf(request, proof.header).replace(/^Bearer\s+/i, '');
  const [head = '', payload = '', signature = '', more] = token.split('.', 4);
  const expected = createHmac('sha256', key).update(`${head}.${payload}`).digest('base64url');
  if (more !== undefined || !isSame(signature, expected) || partOf(head)?.alg !== 'HS256') return false;
  const claims = partOf(payload);
  if (!claims || !isCurrent(claims, request.now.getTime() / 1_000)) return false;
  return proof.body_hash === undefined || isHashOf(claims[proof.body_hash], request);
}

function partOf(text: string): Record<string, unknown> | undefined {
  try {
    return asObject(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    return undefined;
  }
}

function isCurrent({ exp, iat, nbf }: Record<string, unknown>, now: number): boolean {
  if (exp === undefined && iat === undefined) return false;
  const isEarly = [nbf, iat].some((time) => time !== undefined && !(Number(time) <= now + SKEW_SECONDS));
  return !isEarly && (exp === undefined ? Number(iat) >= now - OLDEST_SECONDS : Number(exp) >= now);
}

/** Of the body as it arrived, or as JSON without whitespace. */
function isHashOf(given: unknown, { rawBody, body }: CallbackRequest): boolean {
  if (typeof given !== 'string') return false;
  const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
  return [hash(rawBody), hash(JSON.stringify(body) ?? '')].some((one) => isSame(given.toLowerCase(), one));
}

export function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
