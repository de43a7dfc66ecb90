import { createHash } from 'node:crypto';
import { CHANNELS, factsOf } from '@sixdigit/contract/channels.ts';
import { email } from '@sixdigit/contract/field.ts';
import { resendOtp, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { possiblePhone } from '../platform/addresses/phone.ts';
import { addressOf } from '../platform/http/client-address.ts';
import { type KeyCaller, pathOf, type Server } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { refusedFields } from './refused-fields.ts';
import type { RequestLogWriter } from './writer.ts';

const TYPES = new Map<string, 'send_otp' | 'verify_otp'>([
  [sendOtp.name, 'send_otp'],
  [resendOtp.name, 'send_otp'],
  [verifyOtp.name, 'verify_otp'],
]);

/**
 * Logs every response to a send or verify request with a valid key, unless the statement that made the change has already
 * logged it.
 */
export function recordAnswers(
  server: Server,
  app: Needs<'clock' | 'config'> & { requestLog: RequestLogWriter },
): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { name = '' } = request.route ?? request.routeOptions.config.relayed ?? {};
    const type = TYPES.get(name);
    const caller = request.caller as KeyCaller | null;
    if (type && caller && !request.noted?.isLogged)
      app.requestLog.record({
        account_id: caller.account_id,
        api_key_id: caller.api_key_id,
        request_type: type,
        ...described(app, request, reply),
        response_time_ms: Math.max(0, app.clock.now().getTime() - request.startedMs),
      });
    done();
  });
}

function described(app: Needs<'config'>, request: FastifyRequest, reply: FastifyReply) {
  const body = (typeof request.body === 'object' && request.body !== null ? request.body : {}) as Record<
    string,
    unknown
  >;
  const { about, status, fields, given = body, reason = null, blockedBy = null } = request.noted ?? {};
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  const recipient = about?.otp_id
    ? about.recipient
    : storedRecipient(app, about?.channel ?? given.channel, about?.recipient ?? given.recipient);
  return {
    method: request.method,
    endpoint: pathOf(request),
    response_status_code: status ?? reply.statusCode,
    credits_used: 0,
    channel: about?.channel ?? text(body.channel),
    recipient,
    unstored_recipient: recipient === null ? digestOf(given.recipient) : null,
    otp_id: about?.otp_id ?? null,
    ip_address: addressOf(request),
    request_id: request.id,
    reason,
    refused_fields: fields ? refusedFields(fields, { given, recipient }) : null,
    blocked_by: blockedBy,
  };
}

/** Hashes any JSON value, because a caller may send one as long as the body limit allows. */
const digestOf = (value: unknown): string | null =>
  value === undefined ? null : createHash('sha256').update(JSON.stringify(value)).digest('base64');

/**
 * The recipient of a refused request in the form that verifications store. Null if it cannot be normalized, because an erasure
 * request could not find such a value again.
 */
function storedRecipient(app: Needs<'config'>, channel: unknown, text: unknown): string | null {
  if (typeof text !== 'string' || text.length > 320) return null;
  const known = CHANNELS.find((one) => one === channel);
  const kind = known && factsOf(known).recipient;
  if (kind !== 'phone') {
    const address = email.safeParse(text);
    if (address.success) return address.data;
    if (kind === 'email') return null;
  }
  return possiblePhone(text, app.config) ?? null;
}
