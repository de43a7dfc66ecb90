import { deleteMe, updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { forgotPassword, resetPasswordByLink } from '@sixdigit/contract/accounts/passwords.ts';
import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import {
  signInWithPasskey,
  stepUpWithPasskey,
  verifyPasskey,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import { sendSignInCode, verifyRecoveryCode } from '@sixdigit/contract/second-factors/second-factors.ts';
import { sendStepUpCode, stepUp } from '@sixdigit/contract/second-factors/step-up.ts';
import { clientOf } from '../src/accounts/client.ts';
import { QUEUE_SIZE } from '../src/accounts/hash-queue.ts';
import { withAuthenticator } from './authenticator.ts';
import type { CallInput } from './call.ts';
import { linkTokenFor, person, twoFactorPerson } from './person.ts';
import type { Answered, RefusalStage, Row } from './refusal-stage.ts';
import { softwarePasskey } from './software-passkey.ts';

const assertion = () => softwarePasskey('http://sixdigit.test').get({ challenge: 'none' });

/** A sign-in of somebody with an authenticator app, after the right password. */
async function pendingSignIn({ service }: RefusalStage) {
  const alice = await twoFactorPerson(service, 'Alice');
  await withAuthenticator(service, alice);
  const { session_token = '' } = (await service.call(signIn, { body: alice })).body;
  return { session_token, email: alice.email };
}

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
    // From a network that the account does not know.
    await stage.service.app.db.run(
      'delete from account_networks where account_id = (select id from accounts where email = $1)',
      [email],
    );
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
  signingIn(verifyRecoveryCode, (session_token) => ({ session_token, recovery_code: '0000-0000-0000-0000' })),
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
      const { id: account_id } = await service.app.db.one<{ id: string }>(
        'select id from accounts where email = $1',
        [email],
      );
      const client = clientOf({ ip: '127.0.0.1', headers: {} });
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const hash = (account: string) =>
        passwords.inTurn({ room: 'signed_in', account_id: account, client }, () => ended);
      // Others take every turn, and the account waits for one already.
      const busy = Array.from({ length: QUEUE_SIZE.atOnce }, (_, n) => hash(`other ${n}`));
      busy.push(hash(account_id));
      const password = 'a new password for Alice';
      const answer = await service.call(resetPasswordByLink, {
        body: { token, password, confirm_password: password },
      });
      end();
      await Promise.all(busy);
      return answer as Answered;
    },
  ],
];
