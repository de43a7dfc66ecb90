/**
 * What a provider says about its user: the ID token (OpenID Connect Core 1.0, 3.1.3.7) and the response of its userinfo endpoint.
 * Reads what a sign-in needs, ignores the rest, and refuses with a sentence for the account's owner.
 */

import { decodeProtectedHeader, errors, importJWK, type JWK, type JWTPayload, jwtVerify } from 'jose';
import { ProviderProblem, unusable } from './problem.ts';

export type Claims = JWTPayload & { iss: string; sub: string; iat: number };

export interface Expected {
  issuer: string;
  client_id: string;
  /** the `keys` of the provider's key set, as they are */
  keys(): Promise<unknown>;
}

const ALGORITHMS = new Set(
  ['RS', 'PS', 'ES']
    .flatMap((kind) => ['256', '384', '512'].map((bits) => kind + bits))
    .concat('EdDSA', 'Ed25519'),
);
const CLOCK_TOLERANCE_SECONDS = 30;

/** Why a provider that signs only with these algorithms cannot be used, as a sentence. */
export const algorithmProblem = (names: readonly unknown[]): string | undefined =>
  names.some((name) => ALGORITHMS.has(String(name)))
    ? undefined
    : names.some((name) => /^HS\d{3}$/.test(String(name)))
      ? 'The provider signs ID tokens with the client secret (HS256). Choose a signing key, such as RS256, for the application at the provider.'
      : 'The provider signs ID tokens with none of the algorithms RS256, PS256, ES256 and EdDSA.';

/** The verified claims of an ID token. Throws `ProviderProblem`. */
export async function readIdToken(
  token: string,
  { nonce, ...expected }: Expected & { nonce: string },
): Promise<Claims> {
  const claims = await verified(token, 'ID token', expected);
  const { iss, sub, iat, azp } = claims;
  if (claims.nonce !== nonce) throw wrong('nonce');
  if (azp !== undefined ? azp !== expected.client_id : Array.isArray(claims.aud) && claims.aud.length > 1)
    throw wrong('azp');
  if (iss === undefined || sub === undefined || iat === undefined) throw wrong('sub');
  return { ...claims, iss, sub, iat };
}

/** The claims of a response of the userinfo endpoint, as JSON or as a signed JWT. Throws `ProviderProblem`. */
export async function readUserInfo(
  response: Response,
  { subject, ...expected }: Expected & { subject: string },
): Promise<Record<string, unknown>> {
  if (response.status !== 200)
    throw new ProviderProblem(
      'sso_provider_unavailable',
      `The userinfo endpoint responded with status ${response.status}.`,
    );
  const text = await response.text();
  const isToken = /^[\w-]+(\.[\w-]*){2,4}$/.test(text.trim());
  const claims = isToken ? await verified(text.trim(), 'userinfo response', expected) : objectIn(text);
  if (!claims)
    throw new ProviderProblem(
      'sso_provider_unavailable',
      'The userinfo response is neither a JSON object nor a signed JWT.',
    );
  if (claims.sub !== subject) throw unusable('The userinfo response is about another subject.');
  return claims;
}

/** A JSON object without the members that are null: many providers send them for absent ones. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text, (_, member) => member ?? undefined);
    return typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

const wrong = (claim: string): ProviderProblem =>
  unusable(`The claim ${claim} of the ID token is missing or wrong.`);

type Signed = 'ID token' | 'userinfo response';

/** OpenID Connect Core 1.0, 5.3.2: a userinfo response needs no times, and should have issuer and audience. */
async function verified(
  token: string,
  name: Signed,
  { issuer, client_id, keys }: Expected,
): Promise<JWTPayload> {
  const { alg = '', kid } = headerOf(token, name);
  const problem = algorithmProblem([alg]);
  if (problem) throw unusable(problem);
  const isIdToken = name === 'ID token';
  const checks = {
    algorithms: [alg],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    ...(isIdToken && { issuer, audience: client_id, requiredClaims: ['sub', 'exp', 'iat'] }),
  };
  for (const jwk of candidates(await keys(), kid)) {
    const key = await importJWK(jwk, alg).catch(() => undefined);
    if (!key) continue;
    try {
      const claims = withoutNulls((await jwtVerify(token, key, checks)).payload);
      if (!isIdToken) mustBeFor(claims, { issuer, client_id });
      return claims;
    } catch (error) {
      if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
        throw wrong(error.claim);
      if (error instanceof ProviderProblem) throw error;
      // Another key may have signed it.
    }
  }
  throw unusable(`The signature of the ${name} fits none of the provider’s keys.`);
}

function headerOf(token: string, name: Signed): { alg?: string; kid?: string } {
  if (token.split('.').length === 5)
    throw unusable(`The ${name} is encrypted. Turn encryption off for the application at the provider.`);
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    return { ...(typeof alg === 'string' && { alg }), ...(typeof kid === 'string' && { kid }) };
  } catch {
    throw unusable(`The ${name} is not a signed JWT.`);
  }
}

/** Keys that may have signed: many providers name none, or several without a `kid`. */
const candidates = (keys: unknown, kid: string | undefined): JWK[] =>
  (Array.isArray(keys) ? (keys as (JWK | undefined)[]) : [])
    .filter((key) => typeof key === 'object')
    .filter((key) => (key.use ?? 'sig') === 'sig' && key.kty !== 'oct')
    .filter((key) => kid === undefined || (key.kid ?? kid) === kid)
    .slice(0, KEYS_TRIED_MAX);
const KEYS_TRIED_MAX = 20;

function mustBeFor(
  { iss, aud }: JWTPayload,
  { issuer, client_id }: Pick<Expected, 'issuer' | 'client_id'>,
): void {
  const isForOther = aud !== undefined && ![aud].flat().includes(client_id);
  if ((iss !== undefined && iss !== issuer) || isForOther)
    throw unusable('The userinfo response is of another issuer or for another client.');
}

const withoutNulls = (claims: JWTPayload): JWTPayload =>
  Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));
