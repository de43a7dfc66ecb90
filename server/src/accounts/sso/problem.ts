/** A provider that did not respond as it must. The message is a sentence for the account's owner. */
export class ProviderProblem extends Error {
  readonly reason:
    | 'sso_provider_unavailable'
    | 'sso_invalid_response'
    | 'sso_denied'
    | 'sso_redirect_outdated'
    | 'sso_sign_in_not_recent';
  constructor(reason: ProviderProblem['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

export const unusable = (message: string): ProviderProblem =>
  new ProviderProblem('sso_invalid_response', message);

/**
 * The error codes of RFC 6749 (4.1.2.1, 5.2) and OpenID Connect Core 1.0 (3.1.2.6). Any other text may be a stranger's: whoever
 * begins a sign-in can complete it with an error of their own.
 */
const CODES = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_request_object',
  'invalid_request_uri',
  'invalid_scope',
  'login_required',
  'registration_not_supported',
  'request_not_supported',
  'request_uri_not_supported',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
]);

export const codeIn = (text: string): string => (CODES.has(text) ? text : 'an unknown error code');

/** The problem of a callback with an error instead of a code. */
export const deniedBy = (error: string): ProviderProblem =>
  new ProviderProblem('sso_denied', `The provider refused: ${codeIn(error)}.`);
