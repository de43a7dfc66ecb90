import { decodeJwt, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { expect, test } from 'vitest';
import {
  amy,
  anywhere,
  invalid,
  providerStage,
  refused,
  request,
  withoutAddress,
} from '../../../test/sso-provider.ts';
import { deniedBy } from './provider.ts';

const { provider, client, begin, signedIn, claims } = providerStage();

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
  await expect(claims()).rejects.toEqual(invalid());
});

test.each(['of another key', 'none'] as const)(
  'an ID token with the signature "%s" is refused',
  async (signature) => {
    provider.forge = (all) => all;
    provider.signature = signature;
    await expect(claims()).rejects.toEqual(invalid(/signature|alg/i));
  },
);

test('a provider that rotates its keys signs its users in immediately', async () => {
  const providers = anywhere();
  await claims(amy, providers);
  await provider.rotateKeys();
  expect(await claims(amy, providers)).toMatchObject({ subject: 'amy' });
});

test.each([
  { state: 'of another sign-in' },
  { iss: 'https://other.example.com' },
  { iss: undefined },
  { code: 'not a code' },
])('a callback with %j is refused', async (changed) => {
  const finish = await signedIn();
  await expect(finish({ parameters: changed })).rejects.toEqual(invalid());
});

test('a code works once, and only with the verifier of its sign-in', async () => {
  const providers = anywhere();
  const finish = await signedIn(providers);
  await expect(finish({ verifier: 'w'.repeat(43) })).rejects.toEqual(invalid(/invalid_grant/));
  const second = await signedIn(providers);
  await second();
  await expect(second()).rejects.toEqual(invalid(/invalid_grant/));
});

test('a wrong client secret is reported to the owner', async () => {
  const finish = await signedIn();
  await expect(finish({ client_secret: 'wrong' })).rejects.toEqual(invalid(/invalid_client/));
});

test('an address that only the userinfo endpoint has is found there', async () => {
  provider.forge = ({ email: _, email_verified: __, ...all }) => all;
  expect(await claims()).toMatchObject({ email: 'amy@corp.example.com', isEmailVerified: true });
  // It does not verify another address in the token.
  provider.forge = ({ email_verified: _, ...all }) => ({ ...all, email: 'ceo@corp.example.com' });
  expect(await claims()).toMatchObject({ email: 'ceo@corp.example.com', isEmailVerified: false });
});

test('a step-up needs the time of a recent sign-in', async () => {
  const providers = anywhere();
  const finish = async () => {
    const asked = { isStepUp: true };
    expect(new URL(await begin(providers, asked)).searchParams.get('prompt')).toBe('login');
    return (await signedIn(providers, asked))();
  };
  expect(await finish()).toMatchObject({ subject: 'amy' });
  provider.forge = ({ auth_time: _, ...all }) => all;
  await expect(finish()).rejects.toEqual(refused('sso_sign_in_not_recent', /has no auth_time/));
  provider.forge = (all) => ({ ...all, auth_time: Math.floor(Date.now() / 1000) - 3_600 });
  await expect(finish()).rejects.toEqual(refused('sso_sign_in_not_recent', /more than 10 minutes old/));
  provider.forge = (all) => ({ ...all, auth_time: 'now' });
  await expect(finish()).rejects.toEqual(refused('sso_sign_in_not_recent', /auth_time/));
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
  await expect(begin()).rejects.toEqual(invalid());
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
  expect(await begin()).toContain(`${provider.issuer}/auth?`);
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
  await expect(claims()).rejects.toEqual(invalid());
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

test('the key that an ID token names is found among 25, unless it is not one for signatures', async () => {
  const other = await exportJWK((await generateKeyPair('RS256')).publicKey);
  const others = Array.from({ length: 24 }, (_, n) => ({ ...other, kid: `other ${n}` }));
  provider.changes.set('/jwks', ({ keys }) => ({ keys: [...others, ...(keys as object[])] }));
  expect(await claims()).toMatchObject({ subject: 'amy' });
  provider.changes.set('/jwks', ({ keys }) => ({
    keys: (keys as object[]).map((key) => ({ ...key, use: 'enc' })),
  }));
  await expect(claims()).rejects.toEqual(invalid(/signature/));
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
  const parameters = await provider.signIn(await begin(providers, shared), amy);
  const { iss: _, ...silent } = parameters;
  await expect(providers.claimsOf(client(), { ...shared, parameters: silent })).rejects.toEqual(
    invalid(/iss/),
  );
  const named = { ...shared, parameters };
  expect(await providers.claimsOf(client(), named)).toMatchObject({ subject: 'amy' });
  provider.describe = ({ authorization_response_iss_parameter_supported: _, ...all }) => all;
  const outdated = refused('sso_redirect_outdated', /redirect URL of this account/);
  await expect(begin(anywhere(), shared)).rejects.toEqual(outdated);
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
  const finish = await signedIn();
  provider.changes.set('/token', () => ({ error: 'call +1 900 555 0100' }));
  await expect(finish({ parameters: { code: 'wrong' } })).rejects.toEqual(
    invalid(/^The provider refused the code: an unknown error code\.$/),
  );
});
