import { objectIn, SixdigitError } from './error.ts';
import type { WebhookEvent } from './shapes.ts';

export interface ReceivedWebhook {
  /** The body as received, before parsing: the signature covers its bytes. */
  body: string | Uint8Array;
  /** A `Headers` object, or an object as in Node's `request.headers`. */
  headers: Headers | Record<string, string | readonly string[] | undefined>;
  /** The endpoint's secret. During a rotation, the new and the old one. */
  secret: string | readonly string[];
  /** How far the timestamp may lie in the past or the future. Default 300. */
  toleranceSeconds?: number | undefined;
  /** For tests. */
  now?: Date | undefined;
}

const PREFIX = 'whsec_';
const encoder = new TextEncoder();

/**
 * Checks the signature of a webhook (Standard Webhooks, HMAC-SHA-256, compared in constant time) and returns its event. Throws a
 * `SixdigitError` with the reason `invalid_signature`: respond with 401. Detect repeated deliveries by the header `webhook-id`.
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent> {
  const { toleranceSeconds = 300, now = new Date() } = received;
  const id = headerOf(received.headers, 'webhook-id');
  const timestamp = headerOf(received.headers, 'webhook-timestamp');
  const signatures = headerOf(received.headers, 'webhook-signature');
  if (!id || !timestamp || !signatures) throw refusal('The webhook lacks a signature header');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw refusal('The timestamp of the webhook is too far from now');

  const body = typeof received.body === 'string' ? encoder.encode(received.body) : received.body;
  const start = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(start.length + body.length);
  signed.set(start);
  signed.set(body, start.length);

  const given = signatures.split(' ').flatMap((one) => {
    const [version, value = ''] = one.split(',');
    const bytes = version === 'v1' ? fromBase64(value) : undefined;
    return bytes ? [bytes] : [];
  });
  let isRight = false;
  for (const secret of [received.secret].flat() as string[]) {
    const key = await keyOf(secret);
    for (const one of given) if (await crypto.subtle.verify('HMAC', key, one, signed)) isRight = true;
  }
  if (!isRight) throw refusal('The signature of the webhook is wrong');
  const event = objectIn(new TextDecoder().decode(body));
  if (!event) throw refusal('The webhook is not a JSON object');
  return event as unknown as WebhookEvent;
}

const refusal = (sentence: string) => new SixdigitError('invalid_signature', sentence);

function headerOf(headers: ReceivedWebhook['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([one]) => one.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : undefined;
}

/** `whsec_` is followed by base64. Any other text is the key itself. A secret is one line: files end with a line break. */
function keyOf(given: string) {
  const secret = given.replace(/[\r\n]+$/, '');
  const bytes = secret.startsWith(PREFIX) ? fromBase64(secret.slice(PREFIX.length)) : encoder.encode(secret);
  if (!bytes || bytes.length === 0) throw new TypeError('The webhook secret is empty or malformed');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
