import { CHANNELS, type Channel } from '@sixdigit/contract/channels.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { signedHeaders } from '../../../../platform/signing/standard-webhooks.ts';
import type { Carrier, CarrierReport, InboundText, Message, Outcome } from '../../carrier.ts';
import { asObject, parsed, postingCarrier, type Reach, unreadable } from '../../post.ts';

/**
 * The operator's own carrier behind one HTTP URL. Each message is sent as a JSON POST, signed as in Standard Webhooks. The
 * carrier signs its delivery reports and inbound texts with the same secret.
 */
export interface HttpCarrierOptions {
  /** `http` unless given */
  name?: string;
  url: string;
  secret: string;
  clock: Pick<Clock, 'now'>;
  channels?: readonly Channel[];
  reach?: Reach | undefined;
  timeoutMs?: number | undefined;
}

const label = 'The HTTP carrier';

export const httpCarrier = ({
  name = 'http',
  url,
  secret,
  clock,
  channels = CHANNELS,
  ...sending
}: HttpCarrierOptions): Carrier =>
  postingCarrier({
    ...sending,
    name,
    label,
    channels,
    clock,
    request(message) {
      const body = JSON.stringify(wire(message));
      const signed = signedHeaders({ id: message.id, at: clock.now(), body }, [secret]);
      return { url: new URL(url), headers: { ...signed, 'content-type': 'application/json' }, body };
    },
    outcome,
  });

function wire(message: Message) {
  return {
    id: message.id,
    channel: message.channel,
    recipient: message.recipient,
    text: message.text,
    language: message.language ?? null,
    dlt: message.dlt ?? null,
    code: message.code,
    subject: message.subject ?? null,
    sender_name: message.sender_name ?? null,
    reply_to: message.reply_to ?? null,
    html: message.html ?? null,
    expires_at: message.expires_at.toISOString(),
    status_url: message.status_url ?? null,
  };
}

/** The reasons, besides "unsubscribed", for which no other carrier may be tried. */
const finalReasons = new Set(['invalid_recipient', 'blocked', 'policy']);

function outcome(status: number, answer: string): Outcome {
  const body = parsed(answer);
  if (status >= 200 && status < 300) {
    // A web page, such as a proxy's login page, does not confirm that the message was accepted.
    if (!body && answer.trim() !== '') return unreadable(label, status);
    return { kind: 'accepted', provider_message_id: identifier(body?.message_id) };
  }
  const reason = stableReason(body?.reason);
  if (status === 410 || reason === 'unsubscribed') {
    return {
      kind: 'refused',
      reason: 'unsubscribed',
      detail: 'The recipient has unsubscribed from this sender.',
      unsubscribed: true,
      final: true,
    };
  }
  // Another dispatch with the same idempotency key is in flight, so the carrier may still accept the message.
  if (status === 409) {
    return { kind: 'uncertain', reason: 'in_flight', detail: `${label} is still working on this message.` };
  }
  const refusal = { kind: 'refused', reason: reason ?? `http_${status}` } as const;
  if (status >= 500 || status === 429 || status === 425 || status === 408) {
    return { ...refusal, detail: `${label} is in trouble (HTTP ${status}).`, rest: true, temporary: true };
  }
  // A redirect, a wrong path or a wrong secret is a configuration error and affects every message.
  if (status < 400 || [401, 403, 404, 405].includes(status)) {
    return { ...refusal, detail: `${label} is not set up correctly (HTTP ${status}).`, rest: true };
  }
  const detail = `${label} refused the message (HTTP ${status}${reason ? `: ${reason}` : ''}).`;
  return reason && finalReasons.has(reason) ? { ...refusal, detail, final: true } : { ...refusal, detail };
}

/**
 * Sixdigit stores and shows the reason, so it must be snake_case with fewer than four digits: more could be part of a code or a
 * number.
 */
function stableReason(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(value)) return undefined;
  return value.replace(/\D/g, '').length >= 4 ? undefined : value;
}

/** Parses the body of `/carriers/http/status/`: `{otp_id, status, message_id?, reason?}`. Undefined if it is invalid. */
export function parseHttpStatus(body: unknown): CarrierReport | undefined {
  const fields = record(body);
  const provider_message_id = identifier(fields.message_id);
  const otp_id = text(fields.otp_id, 64);
  const status = fields.status;
  if (status !== 'delivered' && status !== 'undelivered' && status !== 'failed') return undefined;
  return {
    provider_message_id,
    otp_id,
    state: status === 'delivered' ? 'delivered' : 'undelivered',
    reason: status === 'delivered' ? null : (stableReason(fields.reason) ?? status),
  };
}

/** Parses the body of `/carriers/http/inbound/`: `{from, text, to?}`. Undefined if it is invalid. */
export function parseHttpInbound(body: unknown): InboundText | undefined {
  const fields = record(body);
  const from = text(fields.from, 64);
  if (from === null || typeof fields.text !== 'string') return undefined;
  return { from, to: text(fields.to, 64), body: fields.text };
}

function record(value: unknown): Record<string, unknown> {
  return asObject(value) ?? {};
}

function identifier(value: unknown): string | null {
  return typeof value === 'number' ? String(value) : text(value, 200);
}

function text(value: unknown, limit: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= limit ? value : null;
}
