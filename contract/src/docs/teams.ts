import type { Chapter } from './chapter.ts';
import { SSO_PROVIDERS, type SsoProvider } from './sso-providers.ts';

const ROLE_ROWS = [
  ['owner', 'Everything, including other owners, single sign-on and deleting the account'],
  ['admin', 'Credits, cards, protection, settings and members; the activity of all members'],
  ['developer', 'API keys, connections, webhooks and limits; test codes and the test inbox'],
  ['support', 'Full recipients and their history; resending, cancelling, allowing a blocked number'],
  ['viewer', 'Verifications, insights, logs and webhooks, with masked recipients'],
] as const;

const rowOf = ({ name, application, redirect, scopes, issuer }: SsoProvider): string[] => [
  name,
  application,
  redirect,
  scopes,
  issuer,
];

/** Members, roles and single sign-on. */
export const teams = (): Chapter => ({
  id: 'teams',
  title: 'Teams and SSO',
  summary: 'Members, roles and single sign-on',
  parts: [
    {
      text: [
        'Owners and admins invite people under [Team](/team). An invitation is a link to one email address; it works once, for seven days. A person can belong to several accounts, with a role in each.',
        {
          kind: 'table',
          label: 'Roles',
          headings: ['Role', 'May also'],
          rows: ROLE_ROWS,
        },
        'A request of a session names its account with the header `X-Account`. API keys belong to the account, not to a person: they keep working when a member leaves. Rotate those that the member knew.',
        '### Single sign-on',
        'With single sign-on (SSO), people with an email address in your domain sign in at your identity provider, over OpenID Connect. An owner sets it up under [Team](/team#sso):',
        [
          'Register an application at the provider, with the redirect URL that the form shows.',
          'Enter issuer, client ID, client secret and domain. **Test Sign-in** shows what the provider sends and which role the person would get. It signs nobody in and saves nothing.',
          'Save, and create the TXT record that is shown, to verify the domain.',
          'Sign in once with SSO. Then SSO can be required for the domain; one owner stays exempt in case the provider fails.',
        ],
        'What to enter at the provider:',
        {
          kind: 'table',
          label: 'Identity providers',
          headings: ['Provider', 'Application', 'Redirect URL', 'Scopes', 'Issuer'],
          rows: SSO_PROVIDERS.map(rowOf),
        },
        'A session that begins with SSO opens only this account. A new person joins with the default role. A person who is already registered confirms it once with their password or passkey.',
      ],
    },
  ],
});
