import type { resendVerification } from '@sixdigit/contract/operator/account-data.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ResendApp, requireOpen, resend, verificationOf } from '../../otp/otp.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import { maskedRecipient } from '../../platform/security/masks.ts';
import { recordAction } from '../audit.ts';
import { requireAccount } from './accounts.ts';

/**
 * Sends the code of an open verification again. The audit has the entry before the message can leave, and another one if the
 * send is refused.
 */
export async function resendVerificationOf(
  app: ResendApp,
  by: OperatorCaller,
  { id, otp_id }: { id: string; otp_id: string },
  call: { reason: string; request: FastifyRequest; reply: FastifyReply },
): Promise<Reply<typeof resendVerification>> {
  await requireAccount(app.db, id);
  const otp = await verificationOf(app, id, otp_id);
  await requireOpen(app, id, otp.id);
  const about = { account_id: id, subject: `Verification ${otp.id}`, reason: call.reason };
  const audited = (action: string, after?: Record<string, unknown>): Promise<void> =>
    app.db.transaction((tx) => recordAction(tx, app, by, { ...about, action, after }));
  await audited('verification.resend');
  try {
    const { recipient, ...sent } = await resend(app, id, otp, call);
    return { ...sent, recipient: maskedRecipient(recipient) };
  } catch (error) {
    await audited('verification.resend_failed', {
      refused: error instanceof Failure ? error.reason : 'error',
    });
    throw error;
  }
}
