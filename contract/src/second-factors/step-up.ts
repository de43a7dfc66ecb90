import { z } from 'zod';
import { optionalTime, REQUIRED, time, verificationCode } from '../field.ts';
import { route } from '../route.ts';

/**
 * Before a change that could harm the account (`stepUp` of a route), a session must prove again that it belongs to the user.
 * Each sign-in counts as a proof. The proof is the second factor or, for an account without one, the password. A
 * SSO session proves itself at the identity provider only.
 */
export const STEP_UP_SECONDS = 15 * 60;
export const STEP_UP_METHODS = ['passkey', 'authenticator', 'sms', 'email', 'password', 'sso'] as const;
export type StepUpMethod = (typeof STEP_UP_METHODS)[number];

const own = { tag: 'account', auth: 'person' } as const;

export const StepUp = z.object({
  proven_until: optionalTime.meta({ description: 'Until this time, the session needs no further proof' }),
  methods: z.array(z.enum(STEP_UP_METHODS)).meta({
    description: 'Proofs available to the account, preferred first',
  }),
});
export type StepUp = z.infer<typeof StepUp>;

export const getStepUp = route('GET /auth/step-up/', {
  ...own,
  name: 'getStepUp',
  summary: 'How this session can confirm the identity of the user',
  reply: StepUp,
});

export const sendStepUpCode = route('POST /auth/step-up/code/', {
  ...own,
  name: 'sendStepUpCode',
  summary: 'Send a step-up code by the two-factor method of the account',
  reply: z.object({
    session_token: z.string(),
    sent_to: z.string().meta({ description: 'Masked address or phone number to which the code was sent' }),
  }),
  fieldErrors: true,
  failures: ['step_up_method_refused', 'too_many_requests'],
});

export const StepUpBody = z
  .object({
    password: z.string().min(1, REQUIRED).max(128).optional(),
    code: verificationCode.optional(),
    session_token: z.string().min(1, REQUIRED).max(200).optional().meta({
      description: 'Session token of the sent code. Without it, the code comes from the authenticator app',
    }),
  })
  .superRefine((body, context) => {
    const missing = body.password === undefined && body.code === undefined ? 'password' : undefined;
    if (missing) context.addIssue({ code: 'custom', message: REQUIRED, path: [missing] });
  });
export type StepUpBody = z.infer<typeof StepUpBody>;

export const stepUp = route('POST /auth/step-up/', {
  ...own,
  name: 'stepUp',
  summary: 'Confirm the identity of the user, for 15 minutes',
  description:
    'Send the `password`, a `code` of the authenticator app, or a sent `code` with its `session_token`. An account with a second factor must use it.',
  body: StepUpBody,
  reply: z.object({ proven_until: time }),
  failures: [
    'step_up_method_refused',
    'invalid_session_token',
    'invalid_verification_code',
    'code_entry_locked',
    'too_many_requests',
  ],
});
