import type { Role } from './roles.ts';

/** Every error of the API except field errors, with its status and sentence. The name is the stable machine-readable `reason`. */
export const failures = {
  // all routes
  malformed_request: { status: 400, error: 'The request is not valid HTTP' },
  headers_too_large: {
    status: 431,
    error: 'The headers of the request are too large. In a browser, delete the cookies of this site.',
  },
  request_timeout: { status: 408, error: 'The request took too long to arrive' },
  malformed_json: { status: 400, error: 'The request body is not valid JSON' },
  not_found: { status: 404, error: 'Not found' },
  method_not_allowed: { status: 405, error: 'Method not allowed' },
  body_too_large: { status: 413, error: 'The request body is too large' },
  unsupported_media_type: { status: 415, error: 'The request body must be JSON' },
  too_many_requests: { status: 429, error: 'Too many requests. Please try again later.' },
  internal_error: { status: 500, error: 'Internal server error' },
  unavailable: { status: 503, error: 'Service temporarily unavailable. Please try again.' },
  list_timeout: {
    status: 503,
    error:
      'This list takes too long to search. Please narrow the search or the time period, or try again later.',
  },
  live_limit_reached: {
    status: 429,
    error: 'Too many live connections. Lists are refreshed every few seconds instead.',
  },
  stream_limit_reached: { status: 429, error: 'Too many open event streams' },
  export_limit_reached: {
    status: 429,
    error: 'Other exports are running. Please try again when one of them has finished.',
  },

  // public API
  missing_api_key: { status: 401, error: 'API key is required' },
  invalid_api_key: { status: 401, error: 'Invalid API key' },
  api_key_unusable: { status: 400, error: 'The API key of this verification can no longer send' },
  api_key_expired: { status: 401, error: 'API key has expired' },
  network_not_allowed: { status: 401, error: 'API key is not allowed from this network' },
  missing_scope: { status: 401, error: 'API key lacks a scope' },
  account_suspended: { status: 400, error: 'Account suspended' },
  rate_limited: { status: 429, error: 'Too Many Requests' },
  insufficient_credits: { status: 402, error: 'Insufficient credits' },
  spend_limit_reached: { status: 402, error: 'Spend limit reached' },
  recipient_opted_out: { status: 400, error: 'Recipient has opted out' },
  recipient_suppressed: {
    status: 400,
    error: 'Recipient is suppressed, because earlier emails to this address failed or were not wanted',
  },
  recipient_rate_limited: {
    status: 429,
    error: 'Too many codes for this recipient. Please try again later.',
  },
  destination_blocked: { status: 400, error: 'Sending to this destination is blocked' },
  limit_reached: { status: 429, error: 'Limit reached' },
  proof_required: { status: 400, error: 'Proof of work is required' },
  invalid_proof: { status: 400, error: 'Proof of work is not valid' },
  test_limit_reached: { status: 429, error: 'Too many test sends today' },
  otp_not_found: { status: 404, error: 'OTP not found' },
  otp_already_verified: { status: 400, error: 'OTP already verified' },
  otp_closed: { status: 400, error: 'OTP is no longer valid' },
  max_attempts_reached: { status: 400, error: 'Maximum verification attempts exceeded' },
  otp_expired: { status: 400, error: 'OTP has expired' },
  resend_too_late: { status: 400, error: 'OTP is too old' },
  invalid_code: { status: 400, error: 'Invalid OTP code' },
  own_code: { status: 400, error: 'Only the sender that made this code can verify it' },
  not_own_code: { status: 400, error: 'Sixdigit made this code. Verify it with POST /otp/verify/' },
  outcome_already_reported: { status: 400, error: 'Another outcome of this code was reported before' },
  idempotency_key_reused: { status: 400, error: 'This Idempotency-Key was used with another request body' },
  idempotency_key_in_flight: {
    status: 409,
    error: 'A request with this Idempotency-Key is still being processed',
  },

  // accounts
  unauthenticated: { status: 401, error: 'Authentication is required' },
  invalid_refresh_token: { status: 401, error: 'Your session has ended. Please sign in again.' },
  invalid_credentials: { status: 400, error: 'Invalid email or password' },
  invalid_session_token: {
    status: 400,
    error: 'This verification session is no longer valid. Please start again.',
  },
  invalid_reset_link: {
    status: 400,
    error: 'This link has been used or has expired. Please request a new one.',
  },
  invalid_verification_code: { status: 400, error: 'Invalid verification code' },
  invalid_passkey: { status: 400, error: 'The passkey could not be verified. Please try again.' },
  passkey_suspected: {
    status: 400,
    error:
      'This passkey may have been copied, because its counter did not increase. Please use another method, then replace the passkey in Settings.',
  },
  invalid_recovery_code: { status: 400, error: 'Invalid recovery code' },
  second_factor_unavailable: {
    status: 400,
    error: 'This account cannot sign in this way. Please choose another method.',
  },
  authenticator_exists: {
    status: 400,
    error: 'Your account already has an authenticator app. Remove it to set up another one.',
  },
  no_second_factor: { status: 400, error: 'Set up an authenticator app or a passkey first.' },
  code_entry_locked: { status: 429, error: 'Too many wrong codes. Please try again later.' },
  step_up_required: { status: 400, error: 'Please confirm your identity, then try again.' },
  step_up_method_refused: {
    status: 400,
    error: 'You cannot confirm your identity this way. Please choose another method.',
  },
  resend_too_soon: { status: 429, error: 'Please wait before requesting another code.' },
  resend_limit_reached: {
    status: 429,
    error: 'No more codes can be sent in this session. Please start again.',
  },

  // members
  role_too_low: { status: 400, error: 'Your role in this account does not allow this.' },

  // single sign-on
  no_sso: {
    status: 400,
    error: 'Single sign-on is not set up for this address. Sign in with your password or passkey.',
  },
  invalid_sso_login: {
    status: 400,
    error: 'This sign-in has expired or began in another browser. Please start again.',
  },
  sso_login_used: {
    status: 400,
    error: 'This sign-in was already used. Please start again if you are not signed in.',
  },
  sso_issuer_unknown: {
    status: 400,
    error: 'This identity provider does not belong to exactly one account. Enter your work email instead.',
  },
  sso_other_redirect: {
    status: 400,
    error:
      'Your identity provider sent you back to an address of another account. Please start again. If it happens again, tell an owner of the account.',
  },
  sso_redirect_outdated: {
    status: 400,
    error:
      'Single sign-on of this account uses an outdated redirect URL. An owner must change it in Settings, Single sign-on.',
  },
  sso_denied: {
    status: 400,
    error:
      'Your identity provider did not complete the sign-in. Please start again. If it happens again, tell an owner of the account.',
  },
  sso_invalid_response: {
    status: 400,
    error:
      'Your identity provider sent an invalid response. Please start again. If it happens again, tell an owner of the account.',
  },
  sso_provider_unavailable: {
    status: 503,
    error: 'Your identity provider did not respond as expected. Please try again later.',
  },
  sso_no_email: {
    status: 400,
    error:
      'Your identity provider did not send your email address. Ask its administrator to add the claim “email”.',
  },
  sso_email_not_verified: {
    status: 400,
    error: 'Your identity provider has not verified your email address. Ask its administrator to verify it.',
  },
  sso_other_domain: {
    status: 400,
    error:
      'Your email address at the identity provider does not belong to the verified domain of this account. Ask an owner of the account.',
  },
  sso_not_a_member: {
    status: 400,
    error: 'You are no longer a member of this account. Ask an owner or admin to invite you.',
  },
  sso_other_person: {
    status: 400,
    error:
      'You signed in at your identity provider as another person. Please start again and sign in as yourself.',
  },
  sso_sign_in_not_recent: {
    status: 400,
    error:
      'Your identity provider did not confirm that you have just signed in. Log out, then sign in with SSO again. This sign-in proves your identity for 15 minutes.',
  },
  sso_domain_taken: {
    status: 400,
    error: 'Another account has already verified this domain. Turn off single sign-on there first.',
  },
  sso_session: {
    status: 400,
    error: 'You signed in with SSO, which does not allow this. Sign in with your password or passkey first.',
  },
  sso_required: { status: 400, error: 'This account requires single sign-on. Sign in with SSO.' },
  sso_exempt_owner: {
    status: 400,
    error:
      'This owner is exempt from required single sign-on. Choose another exempt owner first, or stop requiring single sign-on.',
  },
  invalid_sso_link: {
    status: 400,
    error:
      'This confirmation has expired, was already used or belongs to another user. Please sign in with SSO again.',
  },

  // accounts of a person
  account_limit_reached: { status: 400, error: 'You can be a member of at most 50 accounts.' },

  // members
  last_owner: {
    status: 400,
    error: 'An account always has an owner. Make another member an owner first, or delete the account.',
  },
  member_limit_reached: { status: 400, error: 'An account can have at most 500 members.' },
  invitation_limit_reached: {
    status: 400,
    error: 'An account can have at most 20 open invitations. Revoke one that is no longer needed.',
  },
  invited_too_often: {
    status: 429,
    error: 'This address has been sent too many invitations today. Please try again later.',
  },
  still_member: {
    status: 400,
    error: 'You are a member of an account. Leave or delete your accounts first.',
  },

  // API keys
  api_key_limit_reached: {
    status: 400,
    error: 'An account can have at most 100 API keys. Delete a key that you no longer use.',
  },

  // connections
  connection_limit_reached: {
    status: 400,
    error: 'An account can have at most 50 connections. Delete one that you no longer use.',
  },
  invalid_signature: { status: 401, error: 'The secret or the signature of the request is not valid' },
  code_missing: {
    status: 400,
    error:
      'The request contains no code of 4 to 10 characters, or several. If it is a whole text, set a code pattern',
  },

  // operators
  operator_role_required: { status: 400, error: 'This action requires an operator with the admin role.' },
  operator_scope_required: { status: 401, error: 'The operator key lacks the required scope.' },
  operator_two_factor_required: {
    status: 400,
    error: 'Turn on two-factor authentication in Settings to use the operator console.',
  },
  changed_meanwhile: {
    status: 409,
    error: 'Another operator changed this in the meantime. Reload the page and repeat your change.',
  },
  not_refundable: { status: 400, error: 'This purchase cannot be refunded.' },

  // protection
  invalid_unblock_link: {
    status: 400,
    error: 'This link is invalid or has expired. Use the link in a newer email.',
  },

  // payments
  payments_not_configured: { status: 400, error: 'Card payments are not set up on this service.' },
  price_changed: { status: 400, error: 'The price has changed. Please review it and try again.' },
  card_declined: { status: 402, error: 'Your card was declined.' },
  payment_provider_unavailable: {
    status: 503,
    error: 'The payment provider did not respond. Please try again. You will not be charged twice.',
  },
  payment_provider_refused: {
    status: 502,
    error:
      'We could not start the payment because of a problem on our side. You were not charged. Please contact support.',
  },
  idempotency_key_used: {
    status: 400,
    error:
      'This Idempotency-Key belongs to an earlier purchase. Nothing was charged now. Use a new key for a new purchase.',
  },
  payment_method_missing: { status: 400, error: 'Please add a payment method first.' },
  payment_not_completed: { status: 400, error: 'The payment has not been completed.' },
} as const satisfies Record<string, { status: number; error: string }>;

export type FailureReason = keyof typeof failures;

/** Additional fields that some errors carry. */
export interface FailureFacts {
  /** remaining attempts for the code */
  attempts_remaining?: number;
  /** seconds until a retry makes sense */
  retry_after?: number;
  expires_at?: string;
  /** the rules that block a destination */
  blocked_by?: string[];
  blocked_until?: string | null;
  /** why an address gets no messages, and since when */
  suppressed_for?: string;
  suppressed_since?: string;
  /** the role that may make the request */
  needs?: Role;
  /** when the exhausted limit resets */
  resets_at?: string;
  /** the name of the account's limit that is reached */
  limit?: string;
  request_id?: string;
  [fact: string]: unknown;
}
