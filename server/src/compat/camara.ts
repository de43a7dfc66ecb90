import type { FailureReason } from '@sixdigit/contract/errors.ts';
import { sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { enteredDigits } from '@sixdigit/contract/text/digits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiCaller, KeyAdmission } from '../api-keys/api-keys.ts';
import { type OtpApp, parseSendBody, relaySend, verify } from '../otp/otp.ts';
import { normalisePhone } from '../platform/addresses/phone.ts';
import { Decided, endedWith, notesOf, write } from '../platform/http/answer.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import { parserOf } from '../platform/http/input.ts';
import type { Server } from '../platform/http/serve.ts';
import { failureOf, logFault } from '../platform/http/server.ts';

export type CamaraApp = OtpApp & { admit: KeyAdmission['byText'] };

const CAMARA = '/compat/camara/one-time-password-sms/v1';
const PLACEHOLDER = '{{code}}';

const SendCode = z.object({
  phoneNumber: z
    .string({ error: 'phoneNumber is required' })
    .regex(/^\+[1-9]\d{4,14}$/, 'phoneNumber must be in E.164 with a leading +'),
  message: z
    .string({ error: 'message is required' })
    .max(160, 'message must have at most 160 characters')
    .refine((text) => text.includes(PLACEHOLDER), `message must include ${PLACEHOLDER}`),
});
const ValidateCode = z.object({
  authenticationId: z
    .string({ error: 'authenticationId is required' })
    .trim()
    .toLowerCase()
    .max(36, 'authenticationId is too long'),
  code: z
    .union([z.string(), z.number().int().nonnegative()], { error: 'code is required' })
    .refine((code) => String(code).length <= 10, 'code must have at most 10 characters'),
});
const parseSend = parserOf(SendCode) as (given: unknown) => z.output<typeof SendCode>;
const parseValidate = parserOf(ValidateCode) as (given: unknown) => z.output<typeof ValidateCode>;

type Handler = (caller: ApiCaller, request: FastifyRequest, reply: FastifyReply) => Promise<Decided>;

/**
 * One Time Password SMS 1.1 of the CAMARA project: `send-code` and `validate-code`. They run in the same engine as
 * `POST /otp/send/` and `POST /otp/verify/` and are logged as such; the bearer token is an API key.
 * Source: camaraproject/OTPValidation, code/API_definitions/one-time-password-sms.yaml
 */
export function camaraRoutes(server: Server, app: CamaraApp): void {
  const serve = (path: string, route: Route, handler: Handler) =>
    server.post(CAMARA + path, {
      errorHandler: (error, request, reply) => void reply.send(refuse(app, error, request, reply)),
      onRequest: async (request, reply) => {
        echoCorrelator(request, reply);
        request.route = route;
        request.headers['x-api-key'] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
        await app.admit(request, reply);
      },
      handler: async (request, reply) => {
        const { status, body, noted } = await handler(request.caller as ApiCaller, request, reply);
        return write(request, reply, { status, ...(body ? { body: JSON.stringify(body) } : {}) }, noted);
      },
    });

  serve('/send-code', sendOtp, async (caller, request, reply) => {
    const { phoneNumber: recipient, message } = parseSend(request.body);
    const sent = await relaySend(app, caller, {
      request,
      reply,
      noted: { about: { otp_id: null, recipient, channel: 'sms' } },
      read() {
        const text = message.replaceAll(PLACEHOLDER, '{code}');
        const body = parseSendBody({ channel: 'sms', recipient, message: text });
        if (normalisePhone(recipient, app.config)?.type === 'FIXED_LINE')
          throw new FieldErrors({ recipient: ['This number is a landline, which gets no SMS.'] });
        return body;
      },
    });
    return new Decided(200, { authenticationId: sent.reply.otp_id }, sent.noted);
  });

  serve('/validate-code', verifyOtp, async (caller, request, reply) => {
    const { authenticationId, code } = parseValidate(request.body);
    // The standard allows any text as a code: what cannot be one is a wrong one, and uses no try.
    const body = {
      otp_id: authenticationId,
      code: typeof code === 'number' ? code : enteredDigits(code),
    };
    const { status, noted } = await verify(app, caller, { body, request, reply });
    if (status < 400) return new Decided(204, undefined, noted);
    const reason = noted.reason === 'invalid_fields' ? 'invalid_code' : (noted.reason as Refused);
    const refusal = refusalOf(reason);
    return new Decided(refusal.status, refusal, noted);
  });
}

/** `not_allowed`: a number that the standard's pattern allows and this service cannot or may not send to. */
type Refused = FailureReason | 'invalid_fields' | 'not_allowed';

const PREFIX = 'ONE_TIME_PASSWORD_SMS';
const INVALID = { status: 400, code: 'INVALID_ARGUMENT' };
const EXPIRED = { status: 400, code: `${PREFIX}.VERIFICATION_EXPIRED` };
const DENIED = { status: 403, code: 'PERMISSION_DENIED' };
const NOT_ALLOWED = { status: 403, code: `${PREFIX}.PHONE_NUMBER_NOT_ALLOWED` };
const QUOTA = { status: 429, code: 'QUOTA_EXCEEDED' };

/** The standard's status and code of each refusal. */
const CODES: Partial<Record<Refused, { status: number; code: string }>> = {
  invalid_fields: INVALID,
  malformed_json: INVALID,
  body_too_large: INVALID,
  unsupported_media_type: INVALID,
  invalid_code: { status: 400, code: `${PREFIX}.INVALID_OTP` },
  otp_expired: EXPIRED,
  otp_already_verified: EXPIRED,
  otp_closed: EXPIRED,
  max_attempts_reached: { status: 400, code: `${PREFIX}.VERIFICATION_FAILED` },
  otp_not_found: { status: 404, code: 'NOT_FOUND' },
  missing_scope: DENIED,
  network_not_allowed: DENIED,
  account_suspended: DENIED,
  own_code: DENIED,
  recipient_rate_limited: { status: 403, code: `${PREFIX}.MAX_OTP_CODES_EXCEEDED` },
  not_allowed: NOT_ALLOWED,
  destination_blocked: NOT_ALLOWED,
  recipient_opted_out: { status: 403, code: `${PREFIX}.PHONE_NUMBER_BLOCKED` },
  recipient_suppressed: NOT_ALLOWED,
  insufficient_credits: QUOTA,
  spend_limit_reached: QUOTA,
  test_limit_reached: QUOTA,
  unavailable: { status: 503, code: 'UNAVAILABLE' },
};
/** The code of refusals that the table does not name, by our status. */
const BY_STATUS: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
  503: 'UNAVAILABLE',
};

function refuse(app: CamaraApp, thrown: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { error, noted } = endedWith(thrown);
  const failure = failureOf(error);
  const notes = { ...noted, ...notesOf(failure) };
  logFault(app, failure, request);
  if (failure instanceof Failure) {
    const { retry_after } = failure.facts;
    if (retry_after !== undefined) reply.header('Retry-After', String(retry_after));
    notes.status = failure.status;
  }
  const refusal =
    failure instanceof Failure
      ? refusalOf(failure.reason)
      : refusalOf(failure.fields.recipient ? 'not_allowed' : 'invalid_fields', failure.message);
  return write(request, reply, { status: refusal.status, body: JSON.stringify(refusal) }, notes);
}

/** An error in the standard's shape. */
function refusalOf(reason: Refused, message?: string) {
  const isOfFields = reason === 'invalid_fields' || reason === 'not_allowed';
  const own = new Failure(isOfFields ? 'malformed_request' : reason);
  const { status, code } = CODES[reason] ?? { status: own.status, code: BY_STATUS[own.status] ?? 'INTERNAL' };
  return { status, code, message: message ?? own.message };
}

/** The pattern of the standard. Anything else is not repeated. */
function echoCorrelator({ headers }: FastifyRequest, reply: FastifyReply): void {
  const correlator = headers['x-correlator'];
  if (typeof correlator === 'string' && /^[\w\-:;./<>{}]{1,256}$/.test(correlator))
    reply.header('x-correlator', correlator);
}
