import { z } from 'zod';
import { email, verificationCode } from '../field.ts';
import { OperatorAccountDetail } from './accounts.ts';
import { adminRoute, reason } from './operator.ts';

export const requestEmailChange = adminRoute(null, 'POST /operator/accounts/:id/email/', {
  name: 'requestEmailChange',
  summary: 'Start a change of the email address of an account',
  description:
    'Sends a code to the new address and a notice to the old one. The change takes effect with `confirmEmailChange`. A new request cancels an earlier one. The limits are five requests per day for an account and for an address, and 30 per hour for an operator. Requires a session: operator keys cannot make this call. If the account belongs to an operator, remove the operator role first.',
  body: z.object({ email: email.meta({ description: 'The new address' }), reason }),
  reply: z.object({
    session_token: z.string().meta({ description: 'For `confirmEmailChange`, by the same operator' }),
    sent_to: z.string(),
  }),
  failures: ['too_many_requests'],
});
export const confirmEmailChange = adminRoute(null, 'POST /operator/accounts/:id/email/confirm/', {
  name: 'confirmEmailChange',
  summary: 'Complete the change with the code that the owner reads out',
  description:
    'Ends all sessions, pending codes and reset links of the account, and sends a notice to both addresses. The fifth wrong code cancels the request.',
  body: z.object({ session_token: z.string().min(1).max(200), code: verificationCode }),
  reply: OperatorAccountDetail,
  failures: ['invalid_session_token', 'invalid_verification_code', 'too_many_requests', 'changed_meanwhile'],
});
