import { updateProfile, updateTwoFactor } from '@sixdigit/contract/accounts/accounts.ts';
import { updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { changePassword, forgotPassword, resetPassword } from '@sixdigit/contract/accounts/passwords.ts';
import {
  refreshTokens,
  resendTwoFactor,
  signIn,
  signOut,
  signUp,
  verifyTwoFactor,
} from '@sixdigit/contract/accounts/sign-in.ts';
import { expect } from 'vitest';
import { type CanaryStage, passwordIn, type Somebody } from './canary-service.ts';

const MINUTE = 60_000;

/** Signing up, in and out, with and without a code, wrong and right. */
export async function signUpInAndOut(stage: CanaryStage, somebody: Somebody): Promise<void> {
  const { service, call, must, arrived } = stage;
  const passwordOf = (name: string) => passwordIn(stage, name);
  somebody.password = passwordOf('ana');
  const { email, phone_number } = somebody;
  const started = await must(signUp, {
    body: { email, phone_number, password: somebody.password, confirm_password: somebody.password },
  });
  const code = await arrived(email);
  await must(signUp, {
    body: { email, phone_number, password: somebody.password, confirm_password: somebody.password },
  });
  await call(signUp, {
    body: { email, phone_number, password: passwordOf('mismatch'), confirm_password: passwordOf('other') },
  });
  const session_token = started.session_token ?? '';
  await call(verifyTwoFactor, { body: { session_token, code: 'abcdef' } });
  await call(resendTwoFactor, { body: { session_token } });
  Object.assign(somebody, await must(verifyTwoFactor, { body: { session_token, code } }));
  await call(verifyTwoFactor, { body: { session_token, code } });

  await call(signIn, { body: { email, password: passwordOf('a typo of') } });
  const other = await must(signIn, { body: { email, password: somebody.password } });
  const next = await must(refreshTokens, { body: { refresh: other.refresh ?? '' } });
  await service.clock.advance(MINUTE);
  // Reusing a refresh token ends its family.
  await call(refreshTokens, { body: { refresh: other.refresh ?? '' } });
  await call(refreshTokens, { body: { refresh: next.refresh } });
  const last = await must(signIn, { body: { email, password: somebody.password } });
  await must(signOut, { body: { refresh: last.refresh ?? '' } });
}

/** Settings, two-factor by SMS, a reset and a change of password. */
export async function changeSettings(stage: CanaryStage, somebody: Somebody): Promise<void> {
  const { service, canaries, call, must, arrived } = stage;
  const passwordOf = (name: string) => passwordIn(stage, name);
  const { email } = somebody;
  let bearer = somebody.access;
  await must(updateProfile, { bearer, body: { first_name: 'Ana', last_name: 'Banana' } });
  const to = '+14155550102';
  const wanted = {
    two_factor_enabled: true,
    two_factor_method: 'sms' as const,
    phone_number: to,
    current_password: somebody.password,
  };
  await call(updateTwoFactor, { bearer, body: { ...wanted, current_password: passwordOf('not the right') } });
  const { session_token = '' } = await must(updateTwoFactor, { bearer, body: wanted });
  await must(updateTwoFactor, { bearer, body: { ...wanted, session_token, code: await arrived(to) } });

  await service.clock.advance(MINUTE);
  const waiting = await must(signIn, { body: { email, password: somebody.password } });
  const code = await arrived(to);
  await must(verifyTwoFactor, { body: { session_token: waiting.session_token ?? '', code } });

  const reset = await must(forgotPassword, { body: { email } });
  await must(forgotPassword, { body: { email: 'nobody@people.test' } });
  const fresh = passwordOf('after the reset ana');
  await arrived(email);
  expect(canaries.some(({ kind }) => kind === 'reset link')).toBe(true);
  await must(resetPassword, {
    body: {
      session_token: reset.session_token,
      code: await arrived(email),
      password: fresh,
      confirm_password: fresh,
    },
  });
  const again = await must(signIn, { body: { email, password: fresh } });
  Object.assign(
    somebody,
    await must(verifyTwoFactor, {
      body: { session_token: again.session_token ?? '', code: await arrived(to) },
    }),
  );
  bearer = somebody.access;
  somebody.password = passwordOf('after the change ana');
  await must(changePassword, {
    bearer,
    body: {
      current_password: fresh,
      password: somebody.password,
      confirm_password: somebody.password,
    },
  });
  await must(updateBranding, {
    bearer,
    body: { sender_name: 'Ana’s shop', default_otp_length: 8, default_message: 'Use {code}, only {code}.' },
  });
}
