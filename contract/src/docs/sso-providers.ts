import type { Text } from './chapter.ts';

/** What to enter at an identity provider. The SSO settings, the documentation and docs/teams.md show the same texts. */
export interface SsoProvider {
  name: string;
  /** how to register an application */
  application: Text;
  /** the field for the redirect URL */
  redirect: Text;
  scopes: Text;
  /** the issuer's address, and where to find it */
  issuer: Text;
}

/** The last one stands for all others. */
export const SSO_PROVIDERS = [
  {
    name: 'Google Workspace',
    application:
      'In the Google Cloud console, open **Google Auth Platform**. Choose the audience **Internal**, and create a client of the type **Web application**.',
    redirect: '**Authorized redirect URIs**',
    scopes: 'Nothing to add.',
    issuer: '`https://accounts.google.com`',
  },
  {
    name: 'Microsoft Entra ID',
    application:
      '**App registrations**, **New registration**: single tenant. Add a client secret under **Certificates & secrets** and copy its **Value**.',
    redirect: '**Redirect URI**, with the platform **Web**',
    scopes:
      'Nothing to add. Under **Token configuration**, add the optional claims `email` and `xms_edov` to ID tokens.',
    issuer:
      '`https://login.microsoftonline.com/<tenant ID>/v2.0`, with the **Directory (tenant) ID** of the **Overview**, not `common` or `organizations`. US government: `login.microsoftonline.us`; China (21Vianet): `login.partner.microsoftonline.cn`; External ID: `<tenant ID>.ciamlogin.com`.',
  },
  {
    name: 'Okta',
    application:
      '**Applications**, **Create App Integration**: **OIDC**, **Web Application**, grant **Authorization Code**. Assign the people who may sign in.',
    redirect: '**Sign-in redirect URIs**',
    scopes: 'Nothing to add. `email_verified` must be true.',
    issuer: '`https://<company>.okta.com`, as in the address of the admin console, without `-admin`.',
  },
  {
    name: 'Keycloak',
    application:
      '**Clients**, **Create client**: **OpenID Connect**, **Client authentication** on, and only **Standard flow**. The secret is on the tab **Credentials**.',
    redirect: '**Valid redirect URIs**',
    scopes: '`email` and `profile`, which are default scopes. **Email verified** must be on for each user.',
    issuer: '`https://id.example.com/realms/<realm>`',
  },
  {
    name: 'authentik',
    application:
      '**Applications**, **Create with provider**: **OAuth2/OpenID**, **Confidential**, and a **Signing Key**. Without one, authentik signs with the client secret, which Sixdigit refuses.',
    redirect: '**Redirect URIs/Origins**, as **Strict**',
    scopes:
      '`openid`, `email` and `profile`, which are selected at first. Since version 2025.10, `email_verified` is false by default: replace the mapping of `email` by one that returns true, unless users can change their own address.',
    issuer:
      '`https://id.example.com/application/o/<slug>/`, with the slash at the end: the **OpenID Configuration Issuer** of the provider.',
  },
  {
    name: 'Other',
    application:
      'A confidential client of OpenID Connect with the authorization code flow and a client secret. ID tokens must be signed with a key (RS256, PS256, ES256, EdDSA), not with the client secret, and not encrypted.',
    redirect: 'its field for redirect or callback URLs',
    scopes:
      '`openid`, `email` and `profile`. The ID token or userinfo must have `email`, and `email_verified` as true.',
    issuer: '`issuer` in the provider’s `/.well-known/openid-configuration`, exactly as it is there.',
  },
] as const satisfies readonly SsoProvider[];

export type SsoProviderName = (typeof SSO_PROVIDERS)[number]['name'];

const HOSTS: Partial<Record<SsoProviderName, RegExp>> = {
  'Google Workspace': /^https:\/\/accounts\.google\.com/,
  'Microsoft Entra ID': /^https:\/\/[^/]*(login\.(partner\.)?microsoftonline|ciamlogin)\./,
  Okta: /^https:\/\/[^/]*\.okta(preview|-emea|-gov)?\.com/,
  Keycloak: /\/realms\/[^/]+\/?$/,
  authentik: /\/application\/o\//,
};

/** The provider that an issuer looks like. */
export const ssoProviderOf = (issuer: string): SsoProviderName =>
  SSO_PROVIDERS.find(({ name }) => HOSTS[name]?.test(issuer))?.name ?? 'Other';
