/** Providers that fail or do not respond, and the addresses that calls may reach. */

import { expect, test } from 'vitest';
import { startIdentityProvider } from '../../../test/fakes/identity-provider.ts';
import {
  amy,
  anywhere,
  CALLBACK,
  providerStage,
  refused,
  request,
  withoutAddress,
} from '../../../test/sso-provider.ts';
import { createProviders } from './provider.ts';

const { provider, client, begin, signedIn, claims } = providerStage();

test.each([
  ['closes', /closed the connection/],
  ['fails', /./],
  ['sends HTML', /./],
  ['sends too much', /longer than 128 KiB/],
  ['redirects', /./],
] as const)('a provider that %s is unavailable, wherever that happens', async (mode, message) => {
  const unavailable = refused('sso_provider_unavailable', message);
  for (const path of ['/.well-known/openid-configuration', '/token', '/jwks', '/me'] as const) {
    provider.faults.clear();
    provider.forge = undefined;
    const providers = anywhere();
    if (path === '/.well-known/openid-configuration') {
      provider.faults.set(path, mode);
      await expect(begin(providers)).rejects.toEqual(unavailable);
      expect(provider.calls.at(-1)).toBe(path);
      continue;
    }
    const finish = await signedIn(providers);
    // Without an address in the token, the userinfo endpoint is called.
    provider.forge = withoutAddress;
    provider.faults.set(path, mode);
    provider.calls.length = 0;
    await expect(finish(), path).rejects.toEqual(unavailable);
    expect(provider.calls.at(-1)).toBe(path);
  }
});

test.each(['/token', '/jwks', '/me'] as const)(
  'a provider that sends the response of %s slowly is unavailable',
  async (path) => {
    const finish = await signedIn(anywhere({ callMs: 2_000 }));
    provider.forge = withoutAddress;
    provider.faults.set(path, 'sends slowly');
    await expect(finish()).rejects.toEqual(
      refused('sso_provider_unavailable', /No complete response arrived within 2 s/),
    );
    expect(provider.calls.at(-1)).toBe(path);
  },
);

const urlOrMessage = (begun: Promise<string>): Promise<string> =>
  begun.then(
    () => 'url',
    ({ message }: Error) => message,
  );

test('a call of a provider that does not respond ends, and at most ten sign-ins wait for it', async () => {
  provider.faults.set('*', 'is silent');
  provider.calls.length = 0;
  const providers = anywhere({ callMs: 300 });
  const begun = Array.from({ length: 12 }, () => urlOrMessage(begin(providers)));
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
    return urlOrMessage(providers.authorizationUrl({ ...client(), account_id, issuer }, request));
  });
  expect(await claims(amy, providers)).toMatchObject({ subject: 'amy' });
  const outcomes = await Promise.all(mallorys);
  const waited = outcomes.filter((text) => text === 'No complete response arrived within 2 s.');
  expect(waited.length).toBeGreaterThan(100);
  expect(waited.length).toBeLessThan(200);
});

test('another account with the issuer and client of an account does not take its places', async () => {
  const providers = anywhere();
  const beginAs = (account_id: string) =>
    urlOrMessage(providers.authorizationUrl({ ...client(), account_id }, request));
  const hers = Array.from({ length: 20 }, () => beginAs('account of Mallory'));
  expect(await beginAs('account of Alice')).toBe('url');
  expect((await Promise.all(hers)).filter((text) => text.startsWith('Too many sign-ins'))).toHaveLength(10);
});

test('the discovery document is read once for many sign-ins', async () => {
  const providers = anywhere();
  provider.calls.length = 0;
  for (let n = 0; n < 5; n += 1) await begin(providers);
  expect(provider.calls).toEqual(['/.well-known/openid-configuration']);
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
      provider.forge = undefined;
      const finish = await signedIn(providers);
      provider.forge = withoutAddress;
      await expect(finish(), address).rejects.toEqual(refused('sso_provider_unavailable', why));
    }
  },
);
