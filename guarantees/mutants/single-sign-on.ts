import type { Mutant } from './mutant.ts';

const SIGN_IN = 'server/src/accounts/sso-sign-in.ts';
const TESTS = ['server/src/accounts/sso-sign-in.test.ts'];

/** Single sign-on: who may come in, and what a session opens. */
export const singleSignOn: readonly Mutant[] = [
  {
    name: 'single sign-on: an address that is not verified is accepted',
    promise: 'The provider must have verified the address.',
    file: SIGN_IN,
    find: 'if (!claims.isEmailVerified)',
    replace: 'if (false as boolean)',
    tests: TESTS,
  },
  {
    name: 'single sign-on: a provider names addresses of other domains',
    promise: 'A provider vouches only for addresses of its account’s proven domain.',
    file: SIGN_IN,
    find: ' || domainOf(email) !== sso.domain)',
    replace: ')',
    tests: TESTS,
  },
  {
    name: 'single sign-on: a person who exists is let in without a proof',
    promise: 'A person who exists must sign in otherwise once before an identity is linked.',
    file: SIGN_IN,
    find: 'if (person) return askForProof(tx, app, { identity, person_id: person.id, email });',
    replace:
      'if (person) { await join(tx, app, { sso, identity, person_id: person.id, client }); return enter(tx, app, { identity, person_id: person.id, client }); }',
    tests: TESTS,
  },
  {
    name: 'single sign-on: a link works for any person',
    promise: 'Only the person whose address the provider named can link the identity.',
    file: 'server/src/accounts/sso/queries.ts',
    find: 'where token_hash = $1 and person_id = $2 and',
    replace: 'where token_hash = $1 and $2::uuid is not null and',
    tests: TESTS,
  },
  {
    name: 'single sign-on: a callback works in another browser',
    promise: 'Only the browser that began can complete a sign-in.',
    file: 'server/src/accounts/sso/queries.ts',
    find: 'where state_hash = $1 and browser_hash = $2 and',
    replace: 'where state_hash = $1 and $2::bytea is not null and',
    tests: TESTS,
  },
  {
    name: 'single sign-on: a removed member comes back',
    promise: 'A removed member comes back by an invitation only.',
    file: SIGN_IN,
    find: 'if (await isFormerMember(tx, { account_id, person_id }))',
    replace: 'if (false as boolean)',
    tests: TESTS,
  },
  {
    name: 'single sign-on: a session is not bound to its account',
    promise: 'A session of single sign-on opens only its account.',
    file: SIGN_IN,
    find: `await touchIdentity(tx, identity);
  await noteSignIn(tx, account_id);
  const tokens = await startSession(tx, app, { person_id, sso_account_id: account_id }, client);`,
    replace: `await touchIdentity(tx, identity);
  await noteSignIn(tx, account_id);
  const tokens = await startSession(tx, app, { person_id, sso_account_id: null }, client);`,
    tests: TESTS,
  },
  {
    name: 'single sign-on: a step-up at the provider proves another person',
    promise: 'A step-up at the provider must be by the session’s own identity.',
    file: SIGN_IN,
    find: "if (known?.person_id !== person_id) throw new Failure('sso_other_person');",
    replace: '',
    tests: TESTS,
  },
  {
    name: 'single sign-on: the signature of an ID token is not checked',
    promise: 'An ID token needs a signature by the provider’s key.',
    file: 'server/src/accounts/sso/provider.ts',
    find: 'oidc.enableNonRepudiationChecks(configuration);',
    replace: '',
    tests: ['server/src/accounts/sso/provider.test.ts'],
  },
  {
    name: 'single sign-on: the discovery document of another issuer is accepted',
    promise: 'The discovery document must be that of the configured issuer.',
    file: 'server/src/accounts/sso/provider.ts',
    find: 'if (new URL(metadata.issuer).href !== new URL(issuer).href)',
    replace: 'if (false as boolean)',
    tests: ['server/src/accounts/sso/provider.test.ts'],
  },
  {
    name: 'single sign-on: a stored secret is sent to a new issuer',
    promise: 'A stored secret is never sent to another issuer or client.',
    file: 'server/src/accounts/sso/settings.ts',
    find: 'before: isSameClient ? before : undefined',
    replace: 'before',
    tests: ['server/src/accounts/sso/settings.test.ts'],
  },
  {
    name: 'single sign-on: a requirement opens the account by password',
    promise: 'Where single sign-on is required, a password does not open the account.',
    file: 'server/sql/functions/sso_bars.sql',
    find: 's.required and s.exempt_person_id',
    replace: 'not s.required and s.exempt_person_id',
    tests: TESTS,
  },
];
