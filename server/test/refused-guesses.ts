import { deleteMe, updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import {
  changePassword,
  forgotPassword,
  resetPassword,
  resetPasswordByLink,
} from '@sixdigit/contract/accounts/passwords.ts';
import { resendTwoFactor, signIn, verifyTwoFactor } from '@sixdigit/contract/accounts/sign-in.ts';
import { confirmEmailChange, requestEmailChange } from '@sixdigit/contract/operator/email-change.ts';
import { needsSession, type Route } from '@sixdigit/contract/route.ts';
import {
  addPasskey,
  signInWithPasskey,
  startPasskey,
  startPasskeyStepUp,
  stepUpWithPasskey,
  verifyPasskey,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import { sendSignInCode, verifyRecoveryCode } from '@sixdigit/contract/second-factors/second-factors.ts';
import { sendStepUpCode, stepUp } from '@sixdigit/contract/second-factors/step-up.ts';
import { expect } from 'vitest';
import { QUEUE_SIZE } from '../src/accounts/passwords/hash-queue.ts';
import { clientOf } from '../src/accounts/sessions/client.ts';
import { withAuthenticator } from './authenticator.ts';
import type { CallInput } from './call.ts';
import { codeFor, linkTokenFor, person, twoFactorPerson, wrongCode } from './person.ts';
import type { Answered, RefusalStage, Row } from './refusal-stage.ts';
import { softwarePasskey } from './software-passkey.ts';

const NO_CODE = '0000-0000-0000-0000';
const NEW_PASSWORD = { password: 'a new password for Alice', confirm_password: 'a new password for Alice' };

const assertion = () => softwarePasskey('http://sixdigit.test').get({ challenge: 'none' });

/** The sign-in of a person with an authenticator app, after the right password. */
async function pendingSignIn({ service }: RefusalStage) {
  const alice = await twoFactorPerson(service, 'Alice');
  await withAuthenticator(service, alice);
  const { session_token = '' } = (await service.call(signIn, { body: alice })).body;
  return { ...alice, session_token };
}

/** Enters wrong codes until code entry of the account is locked. */
const locked = (route: Route, body: (session_token: string) => object): Row => [
  route,
  'code_entry_locked',
  async (stage) => {
    const { service } = stage;
    const { session_token, ...alice } = await pendingSignIn(stage);
    for (let n = 0; n < 2; n += 1) {
      const begun = (await service.call(signIn, { body: alice })).body;
      for (let tries = 0; tries < 5; tries += 1)
        await service.call(verifyRecoveryCode, {
          body: { session_token: begun.session_token ?? '', recovery_code: NO_CODE },
        });
    }
    const bearer = needsSession(route) ? { bearer: alice.access } : {};
    return service.call(route, { ...bearer, body: { ...body(session_token) } });
  },
];

/** Wrong codes from an unknown network are counted by address. */
const forgetNetworks = ({ service }: Pick<RefusalStage, 'service'>, email: string) =>
  service.app.db.run(
    'delete from account_networks where account_id = (select id from accounts where email = $1)',
    [email],
  );

/** Calls by a session that has a password. */
const guessing = (route: Route, input: CallInput<Route>, who: typeof person = person): Row => [
  route,
  'too_many_requests',
  async ({ service, exhausted }) => {
    const { access: bearer } = await who(service, 'Alice');
    return exhausted(() => service.call(route, { bearer, ...input }));
  },
];
const signingIn = (route: Route, body: (session_token: string) => object): Row => [
  route,
  'too_many_requests',
  async (stage) => {
    const { session_token, email } = await pendingSignIn(stage);
    await forgetNetworks(stage, email);
    const input = { body: { ...body(session_token) } };
    return stage.exhausted(() => stage.service.call(route, input));
  },
];

export const GUESSES: readonly Row[] = [
  guessing(deleteMe, { body: { password: 'wrong' } }),
  guessing(updateProfile, { body: { phone_number: '+14155559999', current_password: 'wrong' } }),
  guessing(stepUp, { body: { password: 'wrong' } }),
  guessing(stepUpWithPasskey, { body: { credential: assertion() } }),
  guessing(sendStepUpCode, {}, twoFactorPerson),
  signingIn(signInWithPasskey, () => ({ credential: assertion() })),
  signingIn(verifyPasskey, (session_token) => ({ session_token, credential: assertion() })),
  signingIn(verifyRecoveryCode, (session_token) => ({ session_token, recovery_code: NO_CODE })),
  locked(verifyRecoveryCode, (session_token) => ({ session_token, recovery_code: NO_CODE })),
  locked(sendSignInCode, (session_token) => ({ session_token })),
  locked(stepUp, () => ({ code: '000000' })),
  guessing(changePassword, { body: { current_password: 'wrong', ...NEW_PASSWORD } }),
  [
    resendTwoFactor,
    'too_many_requests',
    async ({ service, exhausted }) => {
      const alice = await twoFactorPerson(service, 'Alice');
      const { session_token = '' } = (await service.call(signIn, { body: alice })).body;
      return exhausted(() => service.call(resendTwoFactor, { body: { session_token } }));
    },
  ],
  [
    verifyTwoFactor,
    'too_many_requests',
    async ({ service, exhausted }) => {
      const alice = await twoFactorPerson(service, 'Alice');
      const { session_token = '' } = (await service.call(signIn, { body: alice })).body;
      await forgetNetworks({ service }, alice.email);
      const code = wrongCode(await codeFor(service, alice.email));
      return exhausted(() => service.call(verifyTwoFactor, { body: { session_token, code } }));
    },
  ],
  [
    resetPassword,
    'too_many_requests',
    async ({ service, exhausted }) => {
      const { email } = await person(service, 'Alice');
      await forgetNetworks({ service }, email);
      const { session_token } = (await service.call(forgotPassword, { body: { email } })).body;
      const code = wrongCode(await codeFor(service, email));
      const input = { body: { session_token, code, ...NEW_PASSWORD } };
      return exhausted(() => service.call(resetPassword, input) as Promise<Answered>);
    },
  ],
  [
    confirmEmailChange,
    'too_many_requests',
    async ({ service, olivia, customer, exhausted }) => {
      const params = { id: (await customer()).account_id };
      const email = `new-address-${params.id}@example.com`;
      const begun = await olivia.call(requestEmailChange, { params, body: { email, reason: 'Asked' } });
      const { session_token } = begun.body;
      const code = wrongCode(await codeFor(service, email));
      return exhausted(() => olivia.call(confirmEmailChange, { params, body: { session_token, code } }));
    },
  ],
  [
    stepUpWithPasskey,
    'passkey_suspected',
    async ({ service }) => {
      const { access: bearer } = await person(service, 'Alice');
      const passkey = softwarePasskey('http://sixdigit.test', { counts: true });
      const { options } = (await service.call(startPasskey, { bearer })).body;
      const body = { name: 'Laptop', credential: passkey.create(options) };
      expect(await service.call(addPasskey, { bearer, body })).toMatchObject({ status: 201 });
      const prove = async () => {
        const begun = await service.call(startPasskeyStepUp, { bearer });
        const credential = passkey.get(begun.body.options);
        return service.call(stepUpWithPasskey, { bearer, body: { credential } });
      };
      expect(await prove()).toMatchObject({ status: 200 });
      passkey.counter = 0;
      return prove();
    },
  ],
  [
    sendSignInCode,
    'too_many_requests',
    async (stage) => {
      const { session_token } = await pendingSignIn(stage);
      let token = session_token;
      return stage.exhausted(async () => {
        const { status, body } = await stage.service.call(sendSignInCode, { body: { session_token: token } });
        token = body.session_token ?? token;
        return { status, body };
      });
    },
  ],
  [
    resetPasswordByLink,
    'too_many_requests',
    async ({ service, passwords }) => {
      const { email } = await person(service, 'Alice');
      await service.call(forgotPassword, { body: { email } });
      const token = await linkTokenFor(service, email);
      const { id: person_id } = await service.app.db.one<{ id: string }>(
        'select id from accounts where email = $1',
        [email],
      );
      const client = clientOf({ ip: '127.0.0.1', headers: {} });
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const hash = (account: string) =>
        passwords.inTurn({ room: 'signed_in', person_id: account, client }, () => ended);
      // Other accounts occupy the queue, and this account already has a waiting job.
      const busy = Array.from({ length: QUEUE_SIZE.atOnce }, (_, n) => hash(`other ${n}`));
      busy.push(hash(person_id));
      const answer = await service.call(resetPasswordByLink, {
        body: { token, ...NEW_PASSWORD },
      });
      end();
      await Promise.all(busy);
      return answer as Answered;
    },
  ],
];
