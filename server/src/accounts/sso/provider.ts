/**
 * The client of the accounts' identity providers. A customer chooses the issuer, and its discovery document chooses the other
 * URLs, so every call goes through `outboundFetch`. Only discovery documents are cached; the keys are fetched for each sign-in,
 * so that a rotation at the provider takes effect immediately.
 */

import { headerText, oneLine } from '@sixdigit/contract/field.ts';
import * as oidc from 'openid-client';
import { monotonicMs } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import { ConnectionFailure, type Resolve } from '../../platform/outbound/connect.ts';
import { outboundFetch } from '../../platform/outbound/fetch.ts';
import {
  algorithmProblem,
  objectIn,
  readIdToken,
  readUserInfo,
  type Claims as TokenClaims,
} from './id-token.ts';
import { codeIn, deniedBy, ProviderProblem, unusable } from './problem.ts';

export { deniedBy, ProviderProblem } from './problem.ts';

export interface Client {
  /** whose sign-ins are limited together */
  account_id: string;
  issuer: string;
  client_id: string;
  client_secret: string;
}

export interface AuthorizationRequest {
  redirectUrl: string;
  state: string;
  nonce: string;
  verifier: string;
  /** only a provider that sends `iss` with its response is accepted (RFC 9207) */
  needsIssuer: boolean;
}

/** What a provider says about its user. */
export interface Claims {
  issuer: string;
  subject: string;
  /** empty if the provider sends none */
  email: string;
  isEmailVerified: boolean;
  /** the claim that decides it */
  verification: 'email_verified' | 'xms_edov' | 'missing';
  firstName: string;
  lastName: string;
}

export interface Providers {
  /** Reads the discovery document now, without the cache. Returns its problem as a sentence, or null. */
  problemOf(client: Pick<Client, 'account_id' | 'issuer'>): Promise<string | null>;
  /** The provider's page to which to send the browser. Throws `ProviderProblem`. */
  authorizationUrl(
    client: Client,
    request: AuthorizationRequest & { login_hint?: string; isStepUp: boolean },
  ): Promise<string>;
  /** Exchanges the callback's parameters for the user's claims. `isStepUp`: the user must just have signed in. Throws `ProviderProblem`. */
  claimsOf(
    client: Client,
    request: AuthorizationRequest & { parameters: Record<string, string | undefined>; isStepUp: boolean },
  ): Promise<Claims>;
}

/** A sign-in makes at most four calls. */
const CALL_MS = 6_000;
const CONNECT_MS = 4_000;
const MAX_BYTES = 128 * 1024;
const CACHE_MS = 10 * 60_000;
/** A provider that does not respond is called again after this time. */
const FAILURE_CACHE_MS = 5_000;
const CACHED_ISSUERS_MAX = 100;
/** Sign-ins of a process whose calls are in flight. */
const IN_FLIGHT_MAX = 200;
/**
 * An account may have this share of the free places. It has 10 while the process is idle, and one while 180 are taken, so that the
 * slow providers of a few accounts cannot lock the others out.
 */
const FREE_PLACES_PER_ACCOUNT = 1 / 20;
/** For a step-up, the provider must have authenticated its user within this time. */
const STEP_UP_MAX_AGE_SECONDS = 10 * 60;

type Metadata = oidc.ServerMetadata;

interface Cached {
  metadata: Promise<Metadata>;
  until: number;
}

export function createProviders(
  { config }: { config: Pick<Config, 'webhookAllowPrivate' | 'ssoPrivateOrigins'> },
  { resolve, callMs = CALL_MS }: { resolve?: Resolve; callMs?: number } = {},
): Providers {
  const cache = new Map<string, Cached>();
  const inFlight = new Map<string, number>();
  let total = 0;
  const allowPrivate = (url: URL): boolean =>
    config.webhookAllowPrivate || config.ssoPrivateOrigins.includes(url.origin);
  const fetch = withoutNulls(
    outboundFetch({
      allowPrivate,
      timeoutMs: callMs,
      connectTimeoutMs: CONNECT_MS,
      maxBytes: MAX_BYTES,
      resolve,
    }),
  );

  /**
   * Runs the calls of one sign-in. The limit is by account, because another account can name the same issuer and client, and many
   * issuers one after the other.
   */
  async function limited<T>(account_id: string, run: () => Promise<T>): Promise<T> {
    const ofAccount = inFlight.get(account_id) ?? 0;
    if (ofAccount >= (IN_FLIGHT_MAX - total) * FREE_PLACES_PER_ACCOUNT)
      throw new ProviderProblem(
        'sso_provider_unavailable',
        'Too many sign-ins are waiting for this provider.',
      );
    total += 1;
    inFlight.set(account_id, ofAccount + 1);
    try {
      return await run();
    } catch (error) {
      throw problemOf(error);
    } finally {
      total -= 1;
      const left = (inFlight.get(account_id) ?? 1) - 1;
      if (left === 0) inFlight.delete(account_id);
      else inFlight.set(account_id, left);
    }
  }

  const isInsecure = (issuer: string): boolean => {
    const url = URL.parse(issuer);
    return url !== null && url.protocol === 'http:' && allowPrivate(url);
  };

  async function discover(issuer: string): Promise<Metadata> {
    const found = await oidc.discovery(new URL(issuer), 'any', undefined, undefined, {
      [oidc.customFetch]: fetch,
      timeout: CALL_MS / 1000,
      ...(isInsecure(issuer) ? { execute: [oidc.allowInsecureRequests] } : {}),
    });
    return usedOf(found.serverMetadata(), issuer);
  }

  function metadataOf(issuer: string): Promise<Metadata> {
    const known = cache.get(issuer);
    if (known && known.until > monotonicMs()) return known.metadata;
    const entry: Cached = { metadata: discover(issuer), until: monotonicMs() + CACHE_MS };
    cache.delete(issuer);
    cache.set(issuer, entry);
    const [oldest] = cache.keys();
    if (cache.size > CACHED_ISSUERS_MAX && oldest !== undefined) cache.delete(oldest);
    entry.metadata.catch(() => {
      entry.until = monotonicMs() + FAILURE_CACHE_MS;
    });
    return entry.metadata;
  }

  async function configurationOf({ issuer, client_id, client_secret }: Client): Promise<oidc.Configuration> {
    const metadata = await metadataOf(issuer);
    // OpenID Connect Discovery 1.0, 3: the default is client_secret_basic.
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    if (!methods.includes('client_secret_post') && !methods.includes('client_secret_basic'))
      throw unusable('The provider accepts no client secret.');
    const proof = methods.includes('client_secret_post')
      ? oidc.ClientSecretPost(client_secret)
      : oidc.ClientSecretBasic(client_secret);
    const configuration = new oidc.Configuration(metadata, client_id, undefined, proof);
    configuration[oidc.customFetch] = fetch;
    configuration.timeout = CALL_MS / 1000;
    if (isInsecure(issuer)) oidc.allowInsecureRequests(configuration);
    return configuration;
  }

  /** Exchanges the code. The library sees only the members that it needs, and `readIdToken` checks the ID token. */
  async function tokensOf(
    configuration: oidc.Configuration,
    callback: URL,
    { state, verifier }: Pick<AuthorizationRequest, 'state' | 'verifier'>,
  ): Promise<{ access_token: string; id_token: string }> {
    let id_token: unknown;
    configuration[oidc.customFetch] = async (url, init) => {
      const response = await fetch(url, init);
      if (!response.ok) return response;
      const body = await objectOf(response);
      id_token = body.id_token;
      return Response.json({ access_token: body.access_token, token_type: body.token_type ?? 'bearer' });
    };
    const checks = { expectedState: state, pkceCodeVerifier: verifier };
    const { access_token } = await oidc.authorizationCodeGrant(configuration, callback, checks);
    if (typeof id_token !== 'string') throw unusable('The response has no ID token.');
    return { access_token, id_token };
  }

  const keysAt = async (url: string): Promise<unknown> =>
    (await objectOf(await fetch(url, { headers: { accept: 'application/json' } }))).keys;

  return {
    async problemOf({ account_id, issuer }) {
      cache.delete(issuer);
      try {
        await limited(account_id, () => metadataOf(issuer));
        return null;
      } catch (error) {
        return (error as Error).message;
      }
    },

    authorizationUrl: (client, { redirectUrl, state, nonce, verifier, needsIssuer, login_hint, isStepUp }) =>
      limited(client.account_id, async () => {
        const configuration = await configurationOf(client);
        if (needsIssuer) mustSendIssuer(configuration);
        const url = oidc.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUrl,
          scope: 'openid email profile',
          state,
          nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(login_hint === undefined ? {} : { login_hint }),
          ...(isStepUp ? { prompt: 'login', max_age: String(STEP_UP_MAX_AGE_SECONDS) } : {}),
        });
        return url.href;
      }),

    claimsOf: (client, { redirectUrl, state, nonce, verifier, needsIssuer, parameters, isStepUp }) =>
      limited(client.account_id, async () => {
        const configuration = await configurationOf(client);
        if (needsIssuer) mustSendIssuer(configuration);
        const callback = new URL(redirectUrl);
        for (const [name, value] of Object.entries(parameters))
          if (value !== undefined) callback.searchParams.set(name, value);
        const { issuer, jwks_uri = '', userinfo_endpoint } = configuration.serverMetadata();
        const { access_token, id_token } = await tokensOf(configuration, callback, { state, verifier });
        const expected = { issuer, client_id: client.client_id, keys: () => keysAt(jwks_uri) };
        const claims = await readIdToken(id_token, { ...expected, nonce });
        if (isStepUp) mustBeRecent(claims);
        const isComplete = claims.email !== undefined && claims.email_verified !== undefined;
        if (isComplete || userinfo_endpoint === undefined) return claimsIn(claims);
        // Some providers put the address only there (OpenID Connect Core 1.0, 5.4).
        const response = await fetch(userinfo_endpoint, {
          headers: { accept: 'application/json, application/jwt', authorization: `Bearer ${access_token}` },
        });
        const more = await readUserInfo(response, { ...expected, subject: claims.sub });
        // What it says about another address does not verify the one in the token.
        const isSame = claims.email === undefined || claims.email === more.email;
        return claimsIn(isSame ? { ...more, ...claims } : claims);
      }),
  };
}

/** Drops the members of JSON objects that are null, which the library refuses, and reads these whatever type they declare. */
const withoutNulls =
  (fetch: ReturnType<typeof outboundFetch>): ReturnType<typeof outboundFetch> =>
  async (address, init) => {
    const response = await fetch(address, init);
    const text = await response.text();
    const { status, headers } = response;
    const body = objectIn(text);
    if (!body) return new Response(text === '' ? null : text, { status, headers });
    headers.set('content-type', 'application/json');
    return new Response(JSON.stringify(body), { status, headers });
  };

async function objectOf(response: Response): Promise<Record<string, unknown>> {
  const body = response.status === 200 ? objectIn(await response.text()) : undefined;
  if (body) return body;
  const what = response.status === 200 ? 'no JSON object' : `status ${response.status}`;
  throw new ProviderProblem('sso_provider_unavailable', `The provider responded with ${what}.`);
}

function mustSendIssuer(configuration: oidc.Configuration): void {
  if (configuration.serverMetadata().authorization_response_iss_parameter_supported !== true)
    throw new ProviderProblem(
      'sso_redirect_outdated',
      'Sign-ins still use the shared redirect URL, and the provider does not send “iss”. Register the redirect URL of this account at the provider, then use it.',
    );
}

/** The parts of a discovery document that a sign-in uses. Throws if its issuer is another, also where the library allows one. */
function usedOf(metadata: Metadata, issuer: string): Metadata {
  if (new URL(metadata.issuer).href !== new URL(issuer).href)
    throw unusable(`The discovery document names another issuer: ${short(metadata.issuer)}`);
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
    if (typeof metadata[name] !== 'string') throw unusable(`The discovery document has no ${name}.`);
  const problem = algorithmProblem(metadata.id_token_signing_alg_values_supported ?? ['RS256']);
  if (problem) throw unusable(problem);
  const used = {
    issuer: metadata.issuer,
    authorization_endpoint: metadata.authorization_endpoint,
    token_endpoint: metadata.token_endpoint,
    jwks_uri: metadata.jwks_uri,
    userinfo_endpoint: metadata.userinfo_endpoint,
    token_endpoint_auth_methods_supported: metadata.token_endpoint_auth_methods_supported,
    authorization_response_iss_parameter_supported: metadata.authorization_response_iss_parameter_supported,
  };
  return JSON.parse(JSON.stringify(used)) as Metadata;
}

/** OpenID Connect Core 1.0, 3.1.2.1. Some providers, such as Google, send no `auth_time`. */
function mustBeRecent({ auth_time, iat }: TokenClaims): void {
  const problem =
    auth_time === undefined
      ? 'The ID token has no auth_time, so the provider cannot confirm the identity of a signed-in user.'
      : !(Number(auth_time) + STEP_UP_MAX_AGE_SECONDS >= iat)
        ? 'The auth_time in the ID token is more than 10 minutes old.'
        : undefined;
  if (problem !== undefined) throw new ProviderProblem('sso_sign_in_not_recent', problem);
}

const SUBJECT_MAX = 255;

function claimsIn(claims: Record<string, unknown> & { iss: string; sub: string }): Claims {
  const { iss, sub, email } = claims;
  // OpenID Connect Core 1.0, 2
  if (sub.length > SUBJECT_MAX || !oneLine(sub))
    throw unusable('The subject in the ID token must be one line of at most 255 characters.');
  const verification = verificationIn(claims);
  return {
    issuer: iss,
    subject: sub,
    email: textOf(email),
    isEmailVerified: isTrue(claims[verification]),
    verification,
    firstName: nameOf(claims.given_name),
    lastName: nameOf(claims.family_name),
  };
}

/**
 * Microsoft Entra ID, in each of its clouds, has no `email_verified`; its `xms_edov` says that the owner of the domain was verified.
 */
const verificationIn = (claims: Record<string, unknown>): Claims['verification'] =>
  (['email_verified', 'xms_edov'] as const).find((name) => claims[name] !== undefined) ?? 'missing';

/** As JSON, or as the text that some providers send. */
const isTrue = (value: unknown): boolean => typeof value !== 'object' && /^(true|1)$/i.test(String(value));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** A name as a user may enter it in the profile; empty for any other text. */
const nameOf = (value: unknown): string => {
  const name = textOf(value).trim();
  return name.length <= 100 && headerText(name) ? name : '';
};
/** The provider chooses the text. */
const short = (text: string): string => text.replace(/\p{Cc}/gu, ' ').slice(0, 200);

function problemOf(error: unknown): ProviderProblem {
  const chain = causesOf(error);
  const known = chain.find((cause) => cause instanceof ProviderProblem || cause instanceof ConnectionFailure);
  if (known instanceof ProviderProblem) return known;
  if (known) return new ProviderProblem('sso_provider_unavailable', (known as Error).message);
  if (error instanceof oidc.AuthorizationResponseError) return deniedBy(error.error);
  if (error instanceof oidc.ResponseBodyError) {
    const reason = error.status >= 500 ? 'sso_provider_unavailable' : 'sso_invalid_response';
    return new ProviderProblem(reason, `The provider refused the code: ${codeIn(error.error)}.`);
  }
  const isUnavailable = chain.some((cause) =>
    UNAVAILABLE.has((cause as { code?: string } | undefined)?.code ?? ''),
  );
  const detail = [
    ...new Set(
      chain.flatMap((cause) =>
        cause instanceof Error
          ? [cause.message]
          : cause instanceof Response && !cause.ok
            ? [`status ${cause.status}`]
            : [],
      ),
    ),
  ];
  return new ProviderProblem(
    isUnavailable ? 'sso_provider_unavailable' : 'sso_invalid_response',
    `The provider's response cannot be used: ${short(detail.join('; '))}.`,
  );
}

/** Statuses and bodies of a server that is broken, not of one that refuses. */
const UNAVAILABLE = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_TIMEOUT',
]);

function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let cause = error; cause !== undefined && chain.length < 8; ) {
    chain.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return chain;
}
