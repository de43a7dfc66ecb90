import { decodeJwt, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { startIdentityProvider } from '../../../test/fakes/identity-provider.ts';
import { fixture } from '../../../test/fixture.ts';
import { createProviders, deniedBy } from './provider.ts';

const CALLBACK = 'http://sixdigit.test/sso/callback';
const provider = fixture(() => startIdentityProvider(CALLBACK));
const secrets = { state: 'state-of-the-test', nonce: 'nonce-of-the-test', verifier: 'v'.repeat(43) };
const request = { redirectUrl: CALLBACK, needsIssuer: false, ...secrets };
const amy = { subject: 'amy', email: 'amy@corp.example.com', email_verified: true };

const anywhere = (options: Parameters<typeof createProviders>[1] = {}) =>
  createProviders({ config: { webhookAllowPrivate: true, ssoPrivateOrigins: [] } }, options);
const client = () => ({
  account_id: 'account of Alice',
  issuer: provider.issuer,
  client_id: provider.client_id,
  client_secret: provider.client_secret,
});

beforeEach(() => {
  provider.faults.clear();
  provider.forge = undefined;
  provider.describe = undefined;
  provider.signature = 'right';
  provider.changes.clear();
});

async function claims(user: Parameters<typeof provider.signIn>[1] = amy, providers = anywhere()) {
  const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  const parameters = await provider.signIn(url, user);
  return providers.claimsOf(client(), { ...request, parameters, isStepUp: false });
}

test('a sign-in at the provider yields its subject and verified address', async () => {
  expect(await claims()).toEqual({
    issuer: provider.issuer,
    subject: 'amy',
    email: 'amy@corp.example.com',
    isEmailVerified: true,
    verification: 'email_verified',
    firstName: '',
    lastName: '',
  });
});

const refused = (reason: string, message: RegExp) =>
  expect.objectContaining({ reason, message: expect.stringMatching(message) });

test.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
  ['of another issuer', (all) => ({ ...all, iss: 'https://other.example.com' })],
  ['for another audience', (all) => ({ ...all, aud: 'another-client' })],
  ['for several audiences and another party', (all) => ({ ...all, aud: ['sixdigit', 'x'], azp: 'x' })],
  ['with another nonce', (all) => ({ ...all, nonce: 'of another sign-in' })],
  ['without a nonce', ({ nonce: _, ...all }) => all],
  ['that has expired', (all) => ({ ...all, exp: Math.floor(Date.now() / 1000) - 3_600 })],
  ['without a subject', ({ sub: _, ...all }) => all],
  ['with a subject of 256 characters', (all) => ({ ...all, sub: 's'.repeat(256) })],
])('an ID token %s is refused', async (_, forge) => {
  provider.forge = forge;
  await expect(claims()).rejects.toEqual(refused('sso_invalid_response', /./));
});

test.each(['of another key', 'none'] as const)(
  'an ID token with the signature "%s" is refused',
  async (signature) => {
    provider.forge = (all) => all;
    provider.signature = signature;
    await expect(claims()).rejects.toEqual(refused('sso_invalid_response', /signature|alg/i));
  },
);

test('a provider that rotates its keys signs its users in immediately', async () => {
  const providers = anywhere();
  await claims(amy, providers);
  await provider.rotateKeys();
  expect(await claims(amy, providers)).toMatchObject({ subject: 'amy' });
});

test.each([
  [{ state: 'of another sign-in' }, 'sso_invalid_response'],
  [{ iss: 'https://other.example.com' }, 'sso_invalid_response'],
  [{ iss: undefined }, 'sso_invalid_response'],
  [{ code: 'not a code' }, 'sso_invalid_response'],
] as const)('a callback with %j is refused', async (changed, reason) => {
  const providers = anywhere();
  const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  const parameters = { ...(await provider.signIn(url, amy)), ...changed };
  await expect(providers.claimsOf(client(), { ...request, parameters, isStepUp: false })).rejects.toEqual(
    refused(reason, /./),
  );
});

test('a code works once, and only with the verifier of its sign-in', async () => {
  const providers = anywhere();
  const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  const parameters = await provider.signIn(url, amy);
  const finish = (verifier: string) =>
    providers.claimsOf(client(), { ...request, verifier, parameters, isStepUp: false });
  await expect(finish('w'.repeat(43))).rejects.toEqual(refused('sso_invalid_response', /invalid_grant/));
  const second = await provider.signIn(
    await providers.authorizationUrl(client(), { ...request, isStepUp: false }),
    amy,
  );
  await providers.claimsOf(client(), { ...request, parameters: second, isStepUp: false });
  await expect(
    providers.claimsOf(client(), { ...request, parameters: second, isStepUp: false }),
  ).rejects.toEqual(refused('sso_invalid_response', /invalid_grant/));
});

test('a wrong client secret is reported to the owner', async () => {
  const providers = anywhere();
  const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  const parameters = await provider.signIn(url, amy);
  await expect(
    providers.claimsOf({ ...client(), client_secret: 'wrong' }, { ...request, parameters, isStepUp: false }),
  ).rejects.toEqual(refused('sso_invalid_response', /invalid_client/));
});

test('an address that only the userinfo endpoint has is found there', async () => {
  provider.forge = ({ email: _, email_verified: __, ...all }) => all;
  expect(await claims()).toMatchObject({ email: 'amy@corp.example.com', isEmailVerified: true });
  // It does not verify another address in the token.
  provider.forge = ({ email_verified: _, ...all }) => ({ ...all, email: 'ceo@corp.example.com' });
  expect(await claims()).toMatchObject({ email: 'ceo@corp.example.com', isEmailVerified: false });
});

test.each([
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
  ['yes', false],
])('email_verified %j means %j', async (email_verified, isEmailVerified) => {
  expect(await claims({ ...amy, email_verified })).toMatchObject({ isEmailVerified });
});

test('a step-up needs the time of a recent sign-in', async () => {
  const providers = anywhere();
  const finish = async () => {
    const url = await providers.authorizationUrl(client(), { ...request, isStepUp: true });
    expect(new URL(url).searchParams.get('prompt')).toBe('login');
    const parameters = await provider.signIn(url, amy);
    return providers.claimsOf(client(), { ...request, parameters, isStepUp: true });
  };
  expect(await finish()).toMatchObject({ subject: 'amy' });
  provider.forge = ({ auth_time: _, ...all }) => all;
  await expect(finish()).rejects.toEqual(refused('sso_sign_in_not_recent', /has no auth_time/));
  provider.forge = (all) => ({ ...all, auth_time: Math.floor(Date.now() / 1000) - 3_600 });
  await expect(finish()).rejects.toEqual(refused('sso_sign_in_not_recent', /more than 10 minutes old/));
  provider.forge = (all) => ({ ...all, auth_time: 'now' });
  await expect(finish()).rejects.toEqual(refused('sso_sign_in_not_recent', /auth_time/));
});

const withoutAddress = ({ email: _, email_verified: __, ...all }: Record<string, unknown>) => all;

test.each([
  ['closes', 'sso_provider_unavailable', /closed the connection/],
  ['fails', 'sso_provider_unavailable', /./],
  ['sends HTML', 'sso_provider_unavailable', /./],
  ['sends too much', 'sso_provider_unavailable', /longer than 128 KiB/],
  ['redirects', 'sso_provider_unavailable', /./],
] as const)('a provider that %s is unavailable, wherever that happens', async (mode, reason, message) => {
  for (const path of ['/.well-known/openid-configuration', '/token', '/jwks', '/me'] as const) {
    provider.faults.clear();
    provider.forge = undefined;
    const providers = anywhere();
    if (path === '/.well-known/openid-configuration') {
      provider.faults.set(path, mode);
      await expect(providers.authorizationUrl(client(), { ...request, isStepUp: false })).rejects.toEqual(
        refused(reason, message),
      );
      expect(provider.calls.at(-1)).toBe(path);
      continue;
    }
    const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
    const parameters = await provider.signIn(url, amy);
    // Without an address in the token, the userinfo endpoint is called.
    provider.forge = withoutAddress;
    provider.faults.set(path, mode);
    provider.calls.length = 0;
    await expect(
      providers.claimsOf(client(), { ...request, parameters, isStepUp: false }),
      path,
    ).rejects.toEqual(refused(reason, message));
    expect(provider.calls.at(-1)).toBe(path);
  }
});

test.each(['/token', '/jwks', '/me'] as const)(
  'a provider that sends the response of %s slowly is unavailable',
  async (path) => {
    const providers = anywhere({ callMs: 2_000 });
    const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
    const parameters = await provider.signIn(url, amy);
    provider.forge = withoutAddress;
    provider.faults.set(path, 'sends slowly');
    await expect(providers.claimsOf(client(), { ...request, parameters, isStepUp: false })).rejects.toEqual(
      refused('sso_provider_unavailable', /No complete response arrived within 2 s/),
    );
    expect(provider.calls.at(-1)).toBe(path);
  },
);

test('a call of a provider that does not respond ends, and at most ten sign-ins wait for it', async () => {
  provider.faults.set('*', 'is silent');
  provider.calls.length = 0;
  const providers = anywhere({ callMs: 300 });
  const begun = Array.from({ length: 12 }, () =>
    providers.authorizationUrl(client(), { ...request, isStepUp: false }).then(
      () => 'url',
      ({ message }: Error) => message,
    ),
  );
  const outcomes = await Promise.all(begun);
  expect(outcomes.filter((text) => text.startsWith('Too many sign-ins'))).toHaveLength(2);
  expect(outcomes.filter((text) => text === 'No complete response arrived within 0.3 s.')).toHaveLength(10);
  // They share one call.
  expect(provider.calls).toHaveLength(1);
});

test('40 accounts whose providers do not respond leave sign-ins to another account unaffected', async () => {
  await using silent = await startIdentityProvider(CALLBACK);
  silent.faults.set('*', 'is silent');
  const providers = anywhere({ callMs: 2_000 });
  const mallorys = Array.from({ length: 40 * 20 }, (_, n) => {
    const [account_id, issuer] = [`account ${n % 40} of Mallory`, `${silent.issuer}/${n % 40}`];
    return providers
      .authorizationUrl({ ...client(), account_id, issuer }, { ...request, isStepUp: false })
      .then(
        () => 'url',
        ({ message }: Error) => message,
      );
  });
  expect(await claims(amy, providers)).toMatchObject({ subject: 'amy' });
  const outcomes = await Promise.all(mallorys);
  const waited = outcomes.filter((text) => text === 'No complete response arrived within 2 s.');
  expect(waited.length).toBeGreaterThan(100);
  expect(waited.length).toBeLessThan(200);
});

test('another account with the issuer and client of an account does not take its places', async () => {
  const providers = anywhere();
  const begin = (account_id: string) =>
    providers.authorizationUrl({ ...client(), account_id }, { ...request, isStepUp: false }).then(
      () => 'url',
      ({ message }: Error) => message,
    );
  const hers = Array.from({ length: 20 }, () => begin('account of Mallory'));
  expect(await begin('account of Alice')).toBe('url');
  expect((await Promise.all(hers)).filter((text) => text.startsWith('Too many sign-ins'))).toHaveLength(10);
});

test('the discovery document is read once for many sign-ins', async () => {
  const providers = anywhere();
  provider.calls.length = 0;
  for (let n = 0; n < 5; n += 1) await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  expect(provider.calls).toEqual(['/.well-known/openid-configuration']);
});

test.each<[string, (document: Record<string, unknown>) => Record<string, unknown>]>([
  ['another issuer', (all) => ({ ...all, issuer: 'https://other.example.com' })],
  ['no token endpoint', ({ token_endpoint: _, ...all }) => all],
  ['no keys', ({ jwks_uri: _, ...all }) => all],
  ['a script as its page', (all) => ({ ...all, authorization_endpoint: 'javascript:alert(1)' })],
  [
    'a document as its page',
    (all) => ({ ...all, authorization_endpoint: 'data:text/html,<script>alert(1)</script>' }),
  ],
])('a discovery document with %s is refused', async (_, describe) => {
  provider.describe = describe;
  await expect(anywhere().authorizationUrl(client(), { ...request, isStepUp: false })).rejects.toEqual(
    refused('sso_invalid_response', /./),
  );
});

const renamed = (tokens: Record<string, unknown>, id_token: unknown) => ({ ...tokens, id_token });
const NULLS = { refresh_token: null, scope: null, expires_in: null, id_token_type: null, token_type: null };

test('a token response with members that are null or unknown signs in', async () => {
  provider.changes.set('/token', (tokens) => ({ ...tokens, ...NULLS, resource: [null] }));
  expect(await claims()).toMatchObject({ subject: 'amy', isEmailVerified: true });
});

test('a discovery document with members that are null signs in', async () => {
  provider.describe = (all) => ({
    ...all,
    token_endpoint_auth_methods_supported: null,
    id_token_signing_alg_values_supported: null,
    request_object_signing_alg_values_supported: null,
  });
  const url = await anywhere().authorizationUrl(client(), { ...request, isStepUp: false });
  expect(url).toContain(`${provider.issuer}/auth?`);
});

test('claims that are null count as absent', async () => {
  provider.forge = (all) => ({ ...all, azp: null, given_name: null, email_verified: null }) as typeof all;
  provider.changes.set('/me', (body) => ({ ...body, email_verified: true, family_name: null }));
  expect(await claims()).toMatchObject({ subject: 'amy', isEmailVerified: true, firstName: '' });
});

test('a userinfo response that is a signed JWT is read', async () => {
  provider.forge = withoutAddress;
  provider.changes.set('/me', (body) =>
    provider.sign({ ...body, iss: provider.issuer, aud: provider.client_id }),
  );
  expect(await claims()).toMatchObject({ email: amy.email, isEmailVerified: true });
});

test.each<[string, (claims: Record<string, unknown>) => Promise<string>]>([
  ['of another subject', (body) => provider.sign({ ...body, sub: 'eve' })],
  ['of another issuer', (body) => provider.sign({ ...body, iss: 'https://other.example.com' })],
  ['for another client', (body) => provider.sign({ ...body, aud: 'another' })],
  ['with a wrong signature', async (body) => `${(await provider.sign(body)).slice(0, -8)}AAAAAAAA`],
  ['without a signature', async (body) => new UnsecuredJWT(body).encode()],
])('a userinfo response %s is refused', async (_, respond) => {
  provider.forge = withoutAddress;
  provider.changes.set('/me', respond);
  await expect(claims()).rejects.toEqual(refused('sso_invalid_response', /./));
});

test('two keys without a kid verify the token of either', async () => {
  const other = await exportJWK((await generateKeyPair('RS256')).publicKey);
  const nameless = ({ kid: _, ...key }: Record<string, unknown>) => key;
  for (const first of [true, false]) {
    provider.changes.set('/jwks', ({ keys }) => {
      const own = (keys as Record<string, unknown>[]).map(nameless);
      return { keys: first ? [...own, other] : [null, { kty: 'oct', k: 'AA' }, other, ...own] };
    });
    provider.changes.set('/token', async (tokens) =>
      renamed(tokens, await provider.sign(decodeJwt(String(tokens.id_token)))),
    );
    expect(await claims()).toMatchObject({ subject: 'amy' });
  }
});

test.each<[string, (token: string) => string | Promise<string>, RegExp]>([
  [
    'signed with the client secret',
    (token) =>
      new SignJWT(decodeJwt(token))
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(provider.client_secret)),
    /HS256.*Choose a signing key/,
  ],
  ['encrypted', () => 'a.b.c.d.e', /encrypted/],
  ['not a token', () => 'opaque', /not a signed JWT/],
])('an ID token that is %s is refused with a sentence for the owner', async (_, change, sentence) => {
  provider.changes.set('/token', async (tokens) => renamed(tokens, await change(String(tokens.id_token))));
  await expect(claims()).rejects.toEqual(refused('sso_invalid_response', sentence));
});

test('a check of the provider finds that it signs with the client secret', async () => {
  provider.describe = (all) => ({ ...all, id_token_signing_alg_values_supported: ['HS256'] });
  expect(await anywhere().problemOf(client())).toMatch(/HS256.*Choose a signing key/);
});

test.each([true, 'true', 'True', 'TRUE', 1, '1'])('email_verified %j is true', async (email_verified) => {
  provider.forge = (all) => ({ ...all, email_verified });
  expect(await claims()).toMatchObject({ isEmailVerified: true });
});

test.each([false, 'false', 'False', 0, '', 'yes', { true: true }])(
  'email_verified %j is false',
  async (email_verified) => {
    provider.forge = (all) => ({ ...all, email_verified });
    expect(await claims()).toMatchObject({ isEmailVerified: false, verification: 'email_verified' });
  },
);

test('xms_edov verifies the address in every cloud of Microsoft, unless email_verified says otherwise', async () => {
  provider.describe = ({ userinfo_endpoint: _, ...all }) => all;
  for (const xms_edov of [true, '1', 'True']) {
    provider.forge = ({ email_verified: _, ...all }) => ({ ...all, xms_edov });
    expect(await claims()).toMatchObject({ isEmailVerified: true, verification: 'xms_edov' });
  }
  provider.forge = (all) => ({ ...all, email_verified: false, xms_edov: true });
  expect(await claims()).toMatchObject({ isEmailVerified: false });
});

test('a sign-in that needs the issuer is refused unless the provider advertises and sends it', async () => {
  const shared = { ...request, needsIssuer: true };
  const providers = anywhere();
  const url = await providers.authorizationUrl(client(), { ...shared, isStepUp: false });
  const { iss, ...parameters } = await provider.signIn(url, amy);
  const silent = { ...shared, parameters, isStepUp: false };
  await expect(providers.claimsOf(client(), silent)).rejects.toEqual(refused('sso_invalid_response', /iss/));
  const named = { ...shared, parameters: { ...parameters, iss }, isStepUp: false };
  expect(await providers.claimsOf(client(), named)).toMatchObject({ subject: 'amy' });
  provider.describe = ({ authorization_response_iss_parameter_supported: _, ...all }) => all;
  const outdated = refused('sso_redirect_outdated', /redirect URL of this account/);
  await expect(anywhere().authorizationUrl(client(), { ...shared, isStepUp: false })).rejects.toEqual(
    outdated,
  );
  await expect(anywhere().claimsOf(client(), named)).rejects.toEqual(outdated);
});

test.each([
  ['access_denied', 'The provider refused: access_denied.'],
  ['login_required', 'The provider refused: login_required.'],
  ['=HYPERLINK("https://evil.example")', 'The provider refused: an unknown error code.'],
  ['', 'The provider refused: an unknown error code.'],
])('the error %j of a callback reads %j', (error, text) => {
  expect(deniedBy(error)).toMatchObject({ reason: 'sso_denied', message: text });
});

test('a token endpoint’s error that no standard defines is not shown', async () => {
  const providers = anywhere();
  const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  const parameters = { ...(await provider.signIn(url, amy)), code: 'wrong' };
  provider.changes.set('/token', () => ({ error: 'call +1 900 555 0100' }));
  await expect(providers.claimsOf(client(), { ...request, parameters, isStepUp: false })).rejects.toEqual(
    refused('sso_invalid_response', /^The provider refused the code: an unknown error code\.$/),
  );
});

test('the issuers of many tenants, which the library allows at Microsoft, are refused', async () => {
  const issuer = provider.issuer.replace('127.0.0.1', 'tenants.b2clogin.com');
  const config = { webhookAllowPrivate: false, ssoPrivateOrigins: [issuer] };
  const providers = createProviders({ config }, { resolve: async () => ['127.0.0.1'] });
  expect(await providers.problemOf({ account_id: 'account of Alice', issuer })).toBe(
    `The discovery document names another issuer: ${provider.issuer}`,
  );
});

test('no call reaches a private address unless the operator has named its origin', async () => {
  const config = { webhookAllowPrivate: false, ssoPrivateOrigins: [] };
  provider.calls.length = 0;
  const guarded = createProviders({ config });
  expect(await guarded.problemOf(client())).toMatch(/HTTPS/);
  expect(provider.calls).toEqual([]);
  const named = createProviders({ config: { ...config, ssoPrivateOrigins: [provider.issuer] } });
  expect(await named.problemOf(client())).toBeNull();
});

test.each(['token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
  'a discovery document cannot direct calls to a private address by its %s',
  async (name) => {
    const config = { webhookAllowPrivate: false, ssoPrivateOrigins: [provider.issuer] };
    for (const [address, why] of [
      [provider.issuer.replace(/:\d+$/, ':9'), /https|public address/],
      [provider.issuer.replace('http:', 'https:'), /public address/],
      [provider.issuer.replace('127.0.0.1', 'localhost'), /https|public address/],
      ['https://10.0.0.1/', /public address/],
      ['https://metadata.example.com/', /public address/],
    ] as const) {
      provider.describe = (all) => ({ ...all, [name]: address });
      const providers = createProviders({ config }, { resolve: async () => ['169.254.169.254'] });
      const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
      provider.forge = undefined;
      const parameters = await provider.signIn(url, amy);
      provider.forge = withoutAddress;
      await expect(
        providers.claimsOf(client(), { ...request, parameters, isStepUp: false }),
        address,
      ).rejects.toEqual(refused('sso_provider_unavailable', why));
    }
  },
);
