import { z } from 'zod';
import { email, verificationCode } from '../field.ts';
import { OperatorAccountDetail } from './accounts.ts';
import { adminRoute, reason } from './operator.ts';

export const requestEmailChange = adminRoute(null, 'POST /operator/accounts/:id/email/', {
  name: 'requestEmailChange',
  summary: 'Begin to change the email address of an account',
  description:
    'Sends a code to the new address and a notice to the old one. The change takes effect with `confirmEmailChange`. A new request ends an earlier one. At most five requests a day for an account and for an address, and 30 an hour by an operator. Needs a session: operator keys cannot make this call. The account of an operator must lose the role first.',
  body: z.object({ email: email.meta({ description: 'The new address' }), reason }),
  reply: z.object({
    session_token: z.string().meta({ description: 'For `confirmEmailChange`, by the same operator' }),
    sent_to: z.string(),
  }),
  failures: ['too_many_requests'],
});
export const confirmEmailChange = adminRoute(null, 'POST /operator/accounts/:id/email/confirm/', {
  name: 'confirmEmailChange',
  summary: 'Change the email address with the code that its owner reads out',
  description:
    'Ends all sessions, pending codes and reset links of the account, and sends a notice to both addresses. The fifth wrong code ends the request.',
  body: z.object({ session_token: z.string().min(1).max(200), code: verificationCode }),
  reply: OperatorAccountDetail,
  failures: ['invalid_session_token', 'invalid_verification_code', 'too_many_requests', 'changed_meanwhile'],
});
