import { createAccount, listAccounts, transferCredits } from '@sixdigit/contract/accounts/own-accounts.ts';
import { changePassword } from '@sixdigit/contract/accounts/passwords.ts';
import { endAllSessions, listSessions } from '@sixdigit/contract/accounts/sessions.ts';
import { finishSso, linkSso, startSso, updateSso } from '@sixdigit/contract/accounts/sso.ts';
import { listApiKeys } from '@sixdigit/contract/api-keys.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { startIdentityProvider } from '../../server/test/fakes/identity-provider.ts';
import { type Attack, paced, statusesOf } from './attack.ts';
import { type Answer, PROVIDER_PORTS, PUBLIC_URL, type Target } from './target.ts';

const CALLBACK = `${PUBLIC_URL}/sso/callback`;

/** Mallory's account has proven this domain, and chooses a provider that says whatever she wants. */
const DOMAIN = 'mallory.example.com';

/** The refusals of an account that is not the session's. */
const isClosed = ({ status }: Answer): boolean => status === 404;

export const singleSignOn: Attack[] = [
  {
    name: "an account's own identity provider signs in as another account's owner",
    promise: 'it opens only its own account, and nobody who exists without their own proof',
    async run(target) {
      const [mallory, alice] = [await target.tenant(), await target.tenant()];
      await using provider = await startIdentityProvider(CALLBACK, PROVIDER_PORTS[0]);
      const { issuer, client_id, client_secret } = provider;
      const body = { issuer, client_id, client_secret, domain: DOMAIN, default_role: 'admin' };
      const { status } = await target.call(updateSso, { bearer: mallory.bearer, body });
      if (status !== 200) throw new Error(`PUT /sso/ responded ${status}`);
      await target.db.run('update account_sso set verified_at = clock_now(), checked_at = clock_now()');
      // Alice's address belongs to the domain, for example because she used to work there.
      const email = `alice@${DOMAIN}`;
      await target.db.run('update people set email = $2 where id = $1', [alice.account_id, email]);

      const wrong: string[] = [];
      const asAlice = await signInAs(target, provider, { subject: 'alice', email, email_verified: true });
      const { access, link_token } = asAlice.body as { access?: string; link_token?: string };
      if (access !== undefined || link_token === undefined) wrong.push('her address gave a session');
      const linked = await paced(() =>
        target.call(linkSso, { bearer: mallory.bearer, body: { link_token: link_token ?? '' } }),
      );
      if (linked.status !== 400) wrong.push(`her identity was linked: ${linked.status}`);
      const foreign = await signInAs(target, provider, {
        subject: 'carol',
        email: 'carol@people.example',
        email_verified: true,
      });
      if (foreign.body.reason !== 'sso_other_domain') wrong.push('another domain was accepted');

      const eve = await signInAs(target, provider, {
        subject: 'eve',
        email: `eve@${DOMAIN}`,
        email_verified: true,
      });
      const bearer = String(eve.body.access);
      const inside = await paced(() => target.call(listApiKeys, { bearer }));
      if (inside.status !== 200) wrong.push(`the own account: ${inside.status}`);
      const statuses: number[] = [];
      for (const route of routes.filter(({ auth, stream }) => auth === 'bearer' && !stream)) {
        const headers = { 'x-account': alice.account_id };
        const params = { id: alice.api_key_id, person_id: alice.account_id, attempt_id: alice.api_key_id };
        const answer = await paced(() => target.call(route, { bearer, headers, params }));
        statuses.push(answer.status);
        if (!isClosed(answer)) wrong.push(`${route.name}: ${answer.status}`);
      }
      const body2 = { current_password: 'x', password: 'taken over 1', confirm_password: 'taken over 1' };
      const changed = await paced(() => target.call(changePassword, { bearer, body: body2 }));
      if (changed.status === 204) wrong.push('a password was changed');
      const open = await paced(() => target.call(listSessions, { bearer: alice.bearer }));
      if (open.status !== 200) wrong.push('Alice lost her session');
      return {
        measured: `${statuses.length} calls with her account: ${statusesOf(statuses)}; ${wrong.join(', ') || 'nothing opened'}`,
        holds: wrong.length === 0,
      };
    },
  },
  {
    name: "an account's own identity provider acts as a member who has another account",
    promise: "it opens none of the member's other accounts, and reaches none of their proofs",
    async run(target) {
      const [mallory, alice] = [await target.tenant(), await target.tenant()];
      await using provider = await startIdentityProvider(CALLBACK, PROVIDER_PORTS[0]);
      const { issuer, client_id, client_secret } = provider;
      const domain = `third.${DOMAIN}`;
      const body = { issuer, client_id, client_secret, domain, default_role: 'admin' };
      await target.call(updateSso, { bearer: mallory.bearer, body });
      await target.db.run('update account_sso set verified_at = clock_now() where domain = $1', [domain]);
      // Alice works for Mallory: she has linked the identity with her own session. Later she even becomes an owner.
      const email = `alice@${domain}`;
      await target.db.run('update people set email = $2 where id = $1', [alice.account_id, email]);
      const user = { subject: 'alice', email, email_verified: true };
      const { link_token } = (await signInAs(target, provider, user, domain)).body as { link_token?: string };
      await target.call(linkSso, { bearer: alice.bearer, body: { link_token: link_token ?? '' } });
      await target.db.run(`update memberships set role = 'owner' where account_id = $1`, [
        mallory.account_id,
      ]);

      const wrong: string[] = [];
      const { access } = (await signInAs(target, provider, user, domain)).body;
      const bearer = String(access);
      const inside = await paced(() => target.call(listApiKeys, { bearer }));
      if (inside.status !== 200) wrong.push(`Mallory's account: ${inside.status}`);
      const statuses: number[] = [];
      const headers = { 'x-account': alice.account_id };
      const params = { id: alice.api_key_id, message_id: alice.api_key_id, attempt_id: alice.api_key_id };
      for (const route of routes.filter(({ auth, stream }) => auth === 'bearer' && !stream)) {
        const answer = await paced(() => target.call(route, { bearer, headers, params }));
        statuses.push(answer.status);
        if (!isClosed(answer)) wrong.push(`${route.name}: ${answer.status}`);
      }
      for (const route of routes.filter(({ ownProof, auth }) => ownProof && auth === 'person')) {
        const answer = await paced(() => target.call(route, { bearer, params, body: {} }));
        statuses.push(answer.status);
        if (answer.body.reason !== 'sso_session') wrong.push(`${route.name}: ${answer.status}`);
      }
      const seen = await paced(() => target.call(listAccounts, { bearer }));
      if ((seen.body.results as unknown[]).length !== 1) wrong.push('her other account was listed');
      const made = await paced(() => target.call(createAccount, { bearer, body: { name: 'Shop' } }));
      if (made.body.reason !== 'sso_session') wrong.push(`an account was created: ${made.status}`);
      const move = { to_account_id: alice.account_id, credits: 1 };
      const moved = await paced(() => target.call(transferCredits, { bearer, body: move }));
      if (moved.body.reason !== 'sso_session') wrong.push(`credits moved: ${moved.status}`);
      await paced(() => target.call(endAllSessions, { bearer, body: {} }));
      const hers = await paced(() => target.call(listApiKeys, { bearer: alice.bearer, headers }));
      if (hers.status !== 200) wrong.push('Alice lost her session');
      return {
        measured: `${statuses.length} calls: ${statusesOf(statuses)}; ${wrong.join(', ') || 'nothing opened'}`,
        holds: wrong.length === 0,
      };
    },
  },
  {
    name: 'a callback in the browser of a victim, and again after its use',
    promise: 'refused: only the browser that began can complete a sign-in, once',
    async run(target) {
      const mallory = await target.tenant();
      await using provider = await startIdentityProvider(CALLBACK, PROVIDER_PORTS[0]);
      const { issuer, client_id, client_secret } = provider;
      const domain = `second.${DOMAIN}`;
      const body = { issuer, client_id, client_secret, domain, default_role: 'viewer' };
      await target.call(updateSso, { bearer: mallory.bearer, body });
      await target.db.run('update account_sso set verified_at = clock_now() where domain = $1', [domain]);
      const user = { subject: 'mallory', email: `mallory@${domain}`, email_verified: true };
      const begin = async () => {
        const { body: begun } = await target.call(startSso, { body: { email: user.email } });
        return { begun, parameters: await provider.signIn(String(begun.url), user) };
      };
      const [hers, victims] = [await begin(), await begin()];
      const finish = async (login_token: unknown) =>
        (await target.call(finishSso, { body: { login_token, ...hers.parameters } })).status;
      const statuses = [
        await finish(victims.begun.login_token),
        await finish('guessed'),
        await finish(hers.begun.login_token),
        await finish(hers.begun.login_token),
      ];
      return {
        measured: `another browser: ${statuses.slice(0, 2)}; her own: ${statuses[2]}; again: ${statuses[3]}`,
        holds: statuses.join() === '400,400,200,400',
      };
    },
  },
  ...[false, true].map(
    (isShared): Attack => ({
      name: `one account's identity provider gets the code of another's (mix-up), with ${isShared ? 'the shared redirect URL' : 'a redirect URL for each account'}`,
      promise: 'the code reaches no provider but its own, and nobody signs in',
      async run(target) {
        const [mallory, alice] = [await target.tenant(), await target.tenant()];
        await using honest = await startIdentityProvider(CALLBACK, PROVIDER_PORTS[0]);
        await using evil = await startIdentityProvider(CALLBACK, PROVIDER_PORTS[1]);
        const place = isShared ? 'shared' : 'own';
        const [domain, trap] = [`${place}.corp.example.com`, `${place}.trap.example.com`];
        for (const [{ bearer }, { issuer, client_id, client_secret }, name] of [
          [alice, honest, domain],
          [mallory, evil, trap],
        ] as const) {
          const body = { issuer, client_id, client_secret, domain: name, default_role: 'admin' };
          await target.call(updateSso, { bearer, body });
        }
        await target.db.run('update account_sso set verified_at = clock_now(), shared_redirect = $1', [
          isShared,
        ]);
        const begin = async (at: string) =>
          (await target.call(startSso, { body: { email: `x@${at}` } })).body as {
            url: string;
            login_token: string;
          };
        // 1. Mallory begins a sign-in at Alice's account, and keeps its URL with nonce and PKCE challenge.
        const hers = await begin(domain);
        // 2. Bob, a member of Alice's account, follows her link and begins one at Mallory's.
        const his = await begin(trap);
        // 3. Her provider sends him to the URL of step 1, with his own state. His own provider signs him in.
        const url = new URL(hers.url);
        url.searchParams.set('state', new URL(his.url).searchParams.get('state') ?? '');
        const bob = { subject: 'bob', email: `bob@${domain}`, email_verified: true };
        const parameters = await honest.signIn(url.href, bob);
        // 4. His browser posts the code, which must not go to her token endpoint.
        evil.calls.length = 0;
        const posted = await target.call(finishSso, {
          body: { login_token: his.login_token, ...parameters },
        });
        const leaked = evil.calls.includes('/token');
        // 5. With a code, she would complete her own sign-in as Bob. Without one, she can only guess.
        const state = new URL(hers.url).searchParams.get('state') ?? '';
        const { code: _, ...rest } = parameters;
        const body = {
          ...rest,
          login_token: hers.login_token,
          state,
          code: leaked ? parameters.code : 'guessed',
        };
        const completed = await target.call(finishSso, { body });
        const entered = [posted, completed].filter(({ status }) => status === 200).length;
        return {
          measured: `step 4: ${posted.status} ${posted.body.reason}; calls of her provider: ${evil.calls.join(' ') || 'none'}; step 5: ${completed.status} ${completed.body.reason}`,
          holds: !leaked && entered === 0,
        };
      },
    }),
  ),
];

async function signInAs(
  target: Target,
  provider: Awaited<ReturnType<typeof startIdentityProvider>>,
  user: Parameters<typeof provider.signIn>[1],
  domain = DOMAIN,
): Promise<Answer> {
  const begun = await target.call(startSso, { body: { email: `anybody@${domain}` } });
  const parameters = await provider.signIn(String(begun.body.url), user);
  return target.call(finishSso, { body: { login_token: begun.body.login_token, ...parameters } });
}
