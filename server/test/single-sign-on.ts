import {
  checkSso,
  finishSso,
  type SsoBody,
  type SsoReply,
  startSso,
  updateSso,
} from '@sixdigit/contract/accounts/sso.ts';
import { expect } from 'vitest';
import { type NameServer, startNameServer } from './fakes/dns.ts';
import {
  type IdentityProvider,
  type ProviderUser,
  startIdentityProvider,
} from './fakes/identity-provider.ts';
import { fixture } from './fixture.ts';
import { type Person, person } from './person.ts';
import { type TestService, testService } from './service.ts';

/** The dashboard of the tests. The providers on loopback are reached as ones that the operator has named. */
export const SSO_ORIGIN = 'http://sixdigit.test';
export const ssoSettings = (names: NameServer, ...providers: IdentityProvider[]) => ({
  PUBLIC_URL: SSO_ORIGIN,
  DNS_SERVERS: names.address,
  SSO_PRIVATE_ORIGINS: providers.map(({ issuer }) => issuer).join(','),
  WEBHOOK_ALLOW_PRIVATE: '0',
});

export interface Stage {
  service: TestService;
  names: NameServer;
  provider: IdentityProvider;
}

/** The fixtures of a file about single sign-on. */
export function ssoStage() {
  const names = fixture(startNameServer);
  const provider = fixture(() => startIdentityProvider(`${SSO_ORIGIN}/sso/callback`));
  const service = fixture(() => testService({ env: ssoSettings(names, provider) }));
  let count = 0;
  const domain = () => `corp${count}.example.com`;
  const accountOf = async ({ email }: { email: string }): Promise<string> =>
    (await service.app.db.one<{ id: string }>('select id from accounts where email = $1', [email])).id;
  return {
    service,
    names,
    provider,
    newDomain(): string {
      count += 1;
      return domain();
    },
    /** The account that the person's sign-up made. */
    accountOf,
    /** The members of the owner's account besides the owner. */
    membersOf: async (owner: { email: string }) =>
      service.app.db.rows<{ email: string; role: string }>(
        `select p.email, m.role from memberships m join people p on p.id = m.person_id
         where m.account_id = $1 and p.email <> $2 order by p.email`,
        [await accountOf(owner), owner.email],
      ),
    /** A person with an account and a password, whose address belongs to the newest domain. */
    async personOfDomain(name: string): Promise<Person> {
      const somebody = await person(service, name);
      const email = `${name.toLowerCase()}@${domain()}`;
      for (const table of ['accounts', 'people'])
        await service.app.db.run(`update ${table} set email = $2 where email = $1`, [somebody.email, email]);
      return { ...somebody, email };
    },
    /** A user of the provider with an address of the newest domain. */
    user: (name: string, more: Partial<ProviderUser> = {}): ProviderUser => ({
      subject: `${name}-${count}`,
      email: `${name}@${domain()}`,
      email_verified: true,
      ...more,
    }),
  };
}

/** Looks up the record. Look-ups of one account are five seconds apart. */
export async function proveDomain({ service, names }: Stage, bearer: string) {
  await service.clock.advance(6_000);
  const before = await service.call(checkSso, { bearer });
  const { record_name = '', record_value = '' } = before.body.settings ?? {};
  names.records.set(record_name, [record_value]);
  await service.clock.advance(6_000);
  return service.call(checkSso, { bearer });
}

/** Sets single sign-on up with a proven domain. */
export async function withSso(
  stage: Stage,
  bearer: string,
  given: Partial<SsoBody> & { domain: string },
): Promise<void> {
  const { issuer, client_id, client_secret } = stage.provider;
  const body = { issuer, client_id, client_secret, default_role: 'viewer' as const, ...given };
  const put = await stage.service.call(updateSso, { bearer, body });
  expect(put.status).toBe(200);
  const { body: checked } = await proveDomain(stage, bearer);
  expect(checked).toMatchObject({ issuer_problem: null, settings: { domain_status: 'verified' } });
}

/** As a browser, begins a sign-in and returns from the provider. */
export async function callbackOf({ service, provider }: Stage, user: ProviderUser, email = user.email ?? '') {
  const { status, body } = await service.call(startSso, { body: { email } });
  expect({ status, body }).toMatchObject({ status: 200 });
  const parameters = await provider.signIn(body.url, user);
  return { login_token: body.login_token, ...parameters } as Record<string, string>;
}

/** The response to the callback of a complete sign-in. */
export async function signInBySso(stage: Stage, user: ProviderUser, email?: string) {
  return stage.service.call(finishSso, { body: await callbackOf(stage, user, email) });
}

/** The bearer token of a sign-in that succeeds. */
export async function bearerBySso(stage: Stage, user: ProviderUser): Promise<string> {
  const { status, body } = await signInBySso(stage, user);
  expect({ status, body }).toMatchObject({ status: 200, body: { access: expect.any(String) } });
  return (body as SsoReply).access ?? '';
}
