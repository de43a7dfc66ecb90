/**
 * The factors of a sign-in besides the password, the strongest first. Recovery codes replace a second factor that the user has
 * lost. E-mail and SMS codes are settings of their own (`/profile/2fa/`).
 */
export const SECOND_FACTORS = ['passkey', 'authenticator', 'sms', 'email', 'recovery_code'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];
