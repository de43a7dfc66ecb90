import { type SendInput, Sixdigit, type SixdigitClient, SixdigitError, type SixdigitOptions } from 'sixdigit';

/** The part of better-auth's endpoint context that the callbacks use. */
export interface EndpointContext {
  path: string;
  request?: Request | undefined;
  error(status: Status, body: { code: string; message: string }, headers?: Record<string, string>): Error;
  context: {
    logger: { error(message: string, ...details: unknown[]): void };
    internalAdapter: {
      createVerificationValue(row: { identifier: string; value: string; expiresAt: Date }): Promise<unknown>;
      findVerificationValue(identifier: string): Promise<{ value: string } | null>;
      deleteVerificationByIdentifier(identifier: string): Promise<void>;
    };
  };
}

type Status = 'BAD_REQUEST' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS' | 'SERVICE_UNAVAILABLE';

interface MessageOptions {
  /** Default `sms`. */
  channel?: 'sms' | 'voice' | undefined;
  /** Text with `{code}`. Default: the text of your Sixdigit account. */
  message?: string | undefined;
  /** Text of the message for a password reset. Default: `message`. */
  resetMessage?: string | undefined;
  /** Validity of the codes in seconds. Default 300. */
  expiresIn?: number | undefined;
  /** The end user's address, by which Sixdigit detects abuse. */
  clientIp?: ((ctx: EndpointContext) => string | null | undefined) | undefined;
}

/** The service and the key, or a client, for example `FakeSixdigit` in tests. */
export type SixdigitPhoneNumberOptions = MessageOptions & (SixdigitOptions | { client: SixdigitClient });

interface PhoneNumber {
  phoneNumber: string;
}

/** The callbacks of better-auth's `phoneNumber` plugin. */
export interface PhoneNumberCallbacks {
  sendOTP(data: PhoneNumber, ctx?: EndpointContext): Promise<void>;
  sendPasswordResetOTP(data: PhoneNumber, ctx?: EndpointContext): Promise<void>;
  verifyOTP(data: PhoneNumber & { code: string }, ctx?: EndpointContext): Promise<boolean>;
}

type Purpose = 'sign-in' | 'password-reset';

/**
 * Sixdigit makes, sends and checks the codes; the codes that better-auth makes are not used. The ids of verifications are kept in
 * better-auth's own table of verifications, so any number of processes can share them.
 */
export function sixdigit(options: SixdigitPhoneNumberOptions): PhoneNumberCallbacks {
  const client = 'client' in options ? options.client : new Sixdigit(options);
  const { channel = 'sms', message, resetMessage = message, expiresIn, clientIp } = options;

  async function send(phoneNumber: string, purpose: Purpose, ctx: EndpointContext): Promise<void> {
    const input: SendInput = {
      channel,
      recipient: phoneNumber,
      message: purpose === 'sign-in' ? message : resetMessage,
      expires_in: expiresIn,
      client_ip: clientIp?.(ctx) ?? undefined,
    };
    const { otp_id, expires_at } = await client.send(input).catch((error: unknown) => {
      throw refusalOfSend(error, ctx);
    });
    await ctx.context.internalAdapter.createVerificationValue({
      identifier: identifierOf(phoneNumber, purpose),
      value: otp_id,
      expiresAt: new Date(expires_at),
    });
  }

  return {
    sendOTP: ({ phoneNumber }, ctx) => send(phoneNumber, 'sign-in', given(ctx)),
    sendPasswordResetOTP: ({ phoneNumber }, ctx) => send(phoneNumber, 'password-reset', given(ctx)),
    async verifyOTP({ phoneNumber, code }, context) {
      const ctx = given(context);
      const { internalAdapter } = ctx.context;
      const purpose = ctx.path === '/phone-number/reset-password' ? 'password-reset' : 'sign-in';
      const identifier = identifierOf(phoneNumber, purpose);
      const sent = await internalAdapter.findVerificationValue(identifier);
      if (!sent) return false;
      try {
        await client.verify({ otp_id: sent.value, code });
      } catch (error) {
        const refusal = refusalOfCode(error, ctx);
        if (refusal) throw refusal;
        return false;
      }
      await internalAdapter.deleteVerificationByIdentifier(identifier);
      return true;
    },
  };
}

/** A code for one purpose does not serve the other, unless Sixdigit sent the same code for both within ten minutes. */
const identifierOf = (phoneNumber: string, purpose: Purpose): string => `sixdigit-${purpose}:${phoneNumber}`;

function given(ctx: EndpointContext | undefined): EndpointContext {
  if (!ctx) throw new Error('@sixdigit/better-auth needs better-auth 1.7 or later');
  return ctx;
}

/** What the person reads who asked for the code. Problems of the operator go to the log. */
function refusalOfSend(error: unknown, ctx: EndpointContext): unknown {
  if (!(error instanceof SixdigitError)) return error;
  const { reason, retryAfter, fieldErrors } = error;
  if (reason === 'recipient_rate_limited' || reason === 'rate_limited')
    return ctx.error(
      'TOO_MANY_REQUESTS',
      { code: 'TOO_MANY_REQUESTS', message: 'Too many codes were requested. Please try again later.' },
      retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
    );
  if (reason === 'invalid_fields' && fieldErrors.recipient)
    return ctx.error('BAD_REQUEST', { code: 'INVALID_PHONE_NUMBER', message: 'Invalid phone number' });
  if (reason === 'recipient_opted_out')
    return ctx.error('BAD_REQUEST', {
      code: 'RECIPIENT_OPTED_OUT',
      message: 'This phone number has opted out of messages. Reply START to one of them to get codes again.',
    });
  if (reason === 'destination_blocked')
    return ctx.error('BAD_REQUEST', {
      code: 'DESTINATION_BLOCKED',
      message: 'Codes cannot be sent to this phone number.',
    });
  return outage('The code could not be sent. Please try again later.', error, ctx);
}

/** Undefined if the code is wrong. */
function refusalOfCode(error: unknown, ctx: EndpointContext): unknown {
  if (!(error instanceof SixdigitError)) return error;
  switch (error.reason) {
    case 'invalid_code':
    case 'invalid_fields':
    case 'otp_not_found':
    case 'otp_closed':
    case 'otp_already_verified':
      return undefined;
    case 'otp_expired':
      return ctx.error('BAD_REQUEST', { code: 'OTP_EXPIRED', message: 'OTP expired' });
    case 'max_attempts_reached':
      return ctx.error('FORBIDDEN', { code: 'TOO_MANY_ATTEMPTS', message: 'Too many attempts' });
    default:
      return outage('The code could not be checked. Please try again later.', error, ctx);
  }
}

function outage(sentence: string, error: SixdigitError, ctx: EndpointContext): Error {
  ctx.context.logger.error(`Sixdigit: ${error.message} (${error.reason})`);
  return ctx.error('SERVICE_UNAVAILABLE', { code: 'SERVICE_UNAVAILABLE', message: sentence });
}
