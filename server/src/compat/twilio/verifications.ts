import { codeText } from '@sixdigit/contract/text/digits.ts';
import { z } from 'zod';
import { cancel, recordOutcome, verify } from '../../otp/otp.ts';
import { noting, Replied } from '../../platform/http/answer.ts';
import { addressOf } from '../../platform/http/client-address.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { Server } from '../../platform/http/serve.ts';
import { invalid, notFound, TwilioError } from './errors.ts';
import { parse, text } from './fields.ts';
import { requireScope, serveTwilio, type TwilioApp, type TwilioCall } from './serve.ts';
import { serviceOf } from './services.ts';
import { sidOf } from './sids.ts';
import { startVerification } from './start.ts';
import {
  closedReason,
  isApproved,
  lastOf,
  scopeOf,
  shown,
  shownCheck,
  statusOf,
  type Verification,
  verificationBy,
} from './verification.ts';
import { markApproved } from './verification-queries.ts';

const UPDATE = z.object({
  Status: z.enum(['canceled', 'approved'], {
    error: (issue) => (issue.input === undefined ? 'missing' : 'must be canceled or approved'),
  }),
});

export function verificationRoutes(server: Server, app: TwilioApp): void {
  const all = '/v2/Services/:service/Verifications';
  serveTwilio(server, app, { method: 'POST', path: all, like: 'send', status: 201 }, async (call) => {
    const { reply, noted } = await startVerification(app, call, await serviceOf(app, call));
    return new Replied(shown(call, reply), noted);
  });
  const path = `${all}/:verification`;
  serveTwilio(server, app, { method: 'GET', path, like: 'read' }, async (call) =>
    shown(call, await verificationOf(app, call)),
  );
  serveTwilio(server, app, { method: 'POST', path, like: 'change' }, async (call) => {
    const { Status } = parse(UPDATE, call.fields);
    const verification = await verificationOf(app, call);
    if (Status === 'approved') await approve(app, call, verification);
    else await end(app, call, verification, false);
    return shown(call, await again(app, verification));
  });
  const check = '/v2/Services/:service/VerificationCheck';
  serveTwilio(server, app, { method: 'POST', path: check, like: 'verify' }, (call) => checkCode(app, call));
}

const verificationOf = async (app: TwilioApp, call: TwilioCall): Promise<Verification> =>
  verificationBy(app, scopeOf(call, await serviceOf(app, call)), call.params.verification ?? '');

/** As it is now. */
const again = (app: TwilioApp, { row }: Verification): Promise<Verification> =>
  verificationBy(app, row, sidOf('VE', row.id));

/** Closes all sends that are open. Throws 20404 if none is, as Twilio does of a verification that is over. */
async function end(
  app: TwilioApp,
  call: TwilioCall,
  verification: Verification,
  is_approved: boolean,
): Promise<void> {
  const { account_id, is_test } = verification.row;
  const ip = addressOf(call.request);
  let ended = 0;
  for (const { otp_id, is_open } of verification.sends)
    if (is_open)
      ended += await cancel(app, { account_id, is_test, otp_id, ip, is_approved }).then(
        () => 1,
        // A code or another request was faster.
        (error: unknown) => (error instanceof Failure && error.status < 500 ? 0 : Promise.reject(error)),
      );
  if (ended === 0) throw notFound(closedReason(await again(app, verification)));
}

/** The caller knows the recipient without the code, or has verified a code of its own. */
async function approve(app: TwilioApp, call: TwilioCall, verification: Verification): Promise<void> {
  const { row } = verification;
  requireScope(call.caller, row.own_code ? 'otp:own_code' : 'otp:verify');
  if (statusOf(verification) !== 'pending' && statusOf(verification) !== 'failed')
    throw notFound(closedReason(verification));
  if (row.own_code) await recordOutcome(app, row, lastOf(verification).otp_id, true);
  else await end(app, call, verification, true);
  await markApproved(app.db, row);
}

const CODE = 'must have 4 to 10 characters';
const CHECK = z.object({
  Code: text(100).overwrite(codeText).min(4, CODE).max(10, CODE),
  To: text(320).optional(),
  VerificationSid: text(64).optional(),
});

/** Checks a code with the engine of `POST /otp/verify/`. Any send of the verification finds it, because they share their tries. */
async function checkCode(app: TwilioApp, call: TwilioCall): Promise<Replied<object>> {
  const service = await serviceOf(app, call);
  const { Code: code, To, VerificationSid } = parse(CHECK, call.fields);
  const by = VerificationSid ?? To;
  if (by === undefined)
    throw new TwilioError([400, 60221], 'Either `To` or `VerificationSid` is required', {
      reason: 'no_target',
    });
  const verification = await verificationBy(app, scopeOf(call, service), by, true);
  const { otp_id, recipient, channel } = lastOf(verification);
  const about = { otp_id, recipient, channel };
  return noting({ about }, async () => {
    if (isApproved(verification)) throw notFound(closedReason(verification));
    const { caller, request, reply } = call;
    const { status, noted } = await verify(app, caller, { body: { otp_id, code }, request, reply });
    const notes = { ...noted, status };
    return noting(
      notes,
      async () => new Replied(await checked(app, verification, { status, ...noted }), notes),
    );
  });
}

/** The response to a code. Throws if the verification is over. */
async function checked(
  app: TwilioApp,
  verification: Verification,
  { status, reason }: { status: number; reason?: string | null },
): Promise<object> {
  if (status < 300) return shownCheck(await again(app, verification), true);
  switch (reason) {
    case 'invalid_code':
    // A code of another length: nothing was compared, and no try was used.
    case 'invalid_fields':
      return shownCheck(verification, false);
    case 'own_code':
      throw new TwilioError([400, 60200], 'The caller made this code and checks it', { reason });
    case 'idempotency_key_reused':
      throw invalid('Idempotency-Key', 'was used with another request');
    default: {
      const over = await again(app, verification);
      if (reason === 'max_attempts_reached' && !over.row.is_over) throw new Failure(reason);
      throw notFound(closedReason(over));
    }
  }
}
