import {
  deleteProfile,
  getMe,
  getProfile,
  getTwoFactor,
  updateProfile,
  updateTwoFactor,
} from '@sixdigit/contract/accounts/accounts.ts';
import {
  getBranding,
  previewBranding,
  updateBranding,
  updateLowBalance,
} from '@sixdigit/contract/accounts/branding.ts';
import {
  createAccount,
  listAccounts,
  renameAccount,
  transferCredits,
} from '@sixdigit/contract/accounts/own-accounts.ts';
import {
  changePassword,
  checkResetLink,
  forgotPassword,
  resetPassword,
  resetPasswordByLink,
} from '@sixdigit/contract/accounts/passwords.ts';
import { endAllSessions, endSession, listSessions } from '@sixdigit/contract/accounts/sessions.ts';
import {
  refreshTokens,
  resendTwoFactor,
  signIn,
  signOut,
  signUp,
  verifyTwoFactor,
} from '@sixdigit/contract/accounts/sign-in.ts';
import {
  finishSso,
  finishSsoTest,
  linkSso,
  startSso,
  startSsoByIssuer,
  startSsoStepUp,
  startSsoTest,
} from '@sixdigit/contract/accounts/sso.ts';
import {
  signInWithPasskey,
  startPasskeySignIn,
  startPasskeyStep,
  startPasskeyStepUp,
  stepUpWithPasskey,
  verifyPasskey,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import { sendSignInCode, verifyRecoveryCode } from '@sixdigit/contract/second-factors/second-factors.ts';
import { getStepUp, sendStepUpCode, stepUp } from '@sixdigit/contract/second-factors/step-up.ts';
import { requestIdentity } from '../platform/http/idempotency-key.ts';
import { type Server, serve } from '../platform/http/serve.ts';
import { type App, createSignInLookup } from './account.ts';
import { deletePerson } from './erase.ts';
import { signUpInvited } from './invitations/acceptance.ts';
import { memberRoutes } from './member-routes.ts';
import {
  accountsOf,
  createAccount as create,
  renameAccount as rename,
  transferCredits as transfer,
} from './members/own-accounts.ts';
import { brandingOf, changeBranding, changeLowBalance, previewMessages } from './profile/branding.ts';
import { changeProfile, me, profileOf } from './profile/profile.ts';
import { changeTwoFactor, twoFactorOf } from './profile/two-factor.ts';
import { resendCode } from './proofs/challenges.ts';
import type { CodeSource } from './proofs/code-entry.ts';
import {
  completeWithPasskey,
  signInByPasskey,
  startPasskeySignInFrom,
  startPasskeyStepOf,
} from './proofs/passkey-sign-in.ts';
import {
  completeWithRecoveryCode,
  sendCodeInstead,
  sendStepUpCodeTo,
  startPasskeyStepUpOf,
  stepUpState,
  stepUpWith,
  stepUpWithPasskeyOf,
} from './proofs/step-up.ts';
import { clientOf } from './sessions/client.ts';
import {
  endAllSessionsOf,
  endOwnSession,
  listSessionsOf,
  refreshSession,
  signOutSession,
} from './sessions/sessions.ts';
import {
  aliveLink,
  changePasswordOf,
  forgotPasswordOf,
  resetPasswordByLinkWith,
  resetPasswordWith,
} from './sign-in/password-reset.ts';
import { completeWithCode, signInWith } from './sign-in/sign-in.ts';
import { signUpWith } from './sign-in/sign-up.ts';
import { linkSsoOf } from './sign-in/sso-joining.ts';
import { finishSsoOf, startSsoByIssuerOf, startSsoOf, startSsoStepUpOf } from './sign-in/sso-sign-in.ts';
import { finishSsoTestOf, startSsoTestOf } from './sign-in/sso-test-sign-in.ts';

export function accountRoutes(server: Server, platform: Omit<App, 'signInLookup'>): void {
  const app: App = { ...platform, signInLookup: createSignInLookup(platform) };
  signInRoutes(server, app);
  passwordRoutes(server, app);
  sessionRoutes(server, app);
  settingsRoutes(server, app);
  memberRoutes(server, app);
}

function signInRoutes(server: Server, app: App): void {
  serve(server, signIn, ({ body, request }) => signInWith(app, { ...body, client: clientOf(request) }));
  serve(server, signUp, ({ body: { invitation, ...body }, request }) =>
    invitation === undefined
      ? signUpWith(app, { ...body, client: clientOf(request) })
      : signUpInvited(app, { ...body, invitation, client: clientOf(request) }),
  );
  serve(server, verifyTwoFactor, ({ body, request }) =>
    completeWithCode(app, { ...body, source: sourceOf(body.method), client: clientOf(request) }),
  );
  serve(server, verifyRecoveryCode, ({ body, request }) =>
    completeWithRecoveryCode(app, { ...body, client: clientOf(request) }),
  );
  serve(server, startPasskeySignIn, ({ request }) => startPasskeySignInFrom(app, clientOf(request)));
  serve(server, signInWithPasskey, ({ body, request }) =>
    signInByPasskey(app, { ...body, client: clientOf(request) }),
  );
  serve(server, startPasskeyStep, ({ body }) => startPasskeyStepOf(app, body.session_token));
  serve(server, verifyPasskey, ({ body, request }) =>
    completeWithPasskey(app, { ...body, client: clientOf(request) }),
  );
  serve(server, sendSignInCode, ({ body, request }) =>
    sendCodeInstead(app, { ...body, client: clientOf(request) }),
  );
  serve(server, startSso, ({ body, request }) => startSsoOf(app, { ...body, client: clientOf(request) }));
  serve(server, startSsoByIssuer, ({ body, request }) =>
    startSsoByIssuerOf(app, { ...body, client: clientOf(request) }),
  );
  serve(server, finishSso, ({ body, request }) => finishSsoOf(app, { ...body, client: clientOf(request) }));
  serve(server, startSsoTest, ({ caller, body }) => startSsoTestOf(app, caller, body));
  serve(server, finishSsoTest, ({ caller, body }) => finishSsoTestOf(app, caller, body));
  serve(server, linkSso, ({ caller, body, request }) =>
    linkSsoOf(app, caller, { ...body, client: clientOf(request) }),
  );
  serve(server, resendTwoFactor, ({ body, request }) =>
    resendCode(app, { ...body, client: clientOf(request) }),
  );
  serve(server, refreshTokens, ({ body, request }) => refreshSession(app, body.refresh, clientOf(request)));
  serve(server, signOut, async ({ body, request }) => {
    await signOutSession(app, body.refresh, clientOf(request));
    return undefined;
  });
}

const sourceOf = (method: 'authenticator' | 'sms' | 'email' | undefined): CodeSource | undefined =>
  method && (method === 'authenticator' ? 'authenticator' : 'sent');

function passwordRoutes(server: Server, app: App): void {
  serve(server, forgotPassword, ({ body, request }) =>
    forgotPasswordOf(app, { ...body, client: clientOf(request) }),
  );
  serve(server, resetPassword, async ({ body, request }) => {
    await resetPasswordWith(app, { ...body, client: clientOf(request) });
    return undefined;
  });
  serve(server, checkResetLink, async ({ body }) => {
    await aliveLink(app, body.token);
    return undefined;
  });
  serve(server, resetPasswordByLink, async ({ body, request }) => {
    await resetPasswordByLinkWith(app, { ...body, client: clientOf(request) });
    return undefined;
  });
  serve(server, changePassword, async ({ body, caller, request }) => {
    await changePasswordOf(app, caller, { ...body, client: clientOf(request) });
    return undefined;
  });
}

function sessionRoutes(server: Server, app: App): void {
  serve(server, listSessions, ({ caller }) => listSessionsOf(app, caller));
  serve(server, endSession, async ({ caller, params }) => {
    await endOwnSession(app, caller, params.id);
    return undefined;
  });
  serve(server, endAllSessions, async ({ caller, body }) => {
    await endAllSessionsOf(app, caller, body);
    return undefined;
  });
  serve(server, getStepUp, ({ caller }) => stepUpState(app, caller));
  serve(server, sendStepUpCode, ({ caller, request }) => sendStepUpCodeTo(app, caller, clientOf(request)));
  serve(server, stepUp, ({ caller, body, request }) =>
    stepUpWith(app, caller, { ...body, client: clientOf(request) }),
  );
  serve(server, startSsoStepUp, ({ caller }) => startSsoStepUpOf(app, caller));
  serve(server, startPasskeyStepUp, ({ caller }) => startPasskeyStepUpOf(app, caller));
  serve(server, stepUpWithPasskey, ({ caller, body, request }) =>
    stepUpWithPasskeyOf(app, caller, { ...body, client: clientOf(request) }),
  );
}

function settingsRoutes(server: Server, app: App): void {
  serve(server, getMe, ({ caller }) => me(app, caller));
  serve(server, listAccounts, async ({ caller }) => ({
    results: await accountsOf(app.db, caller),
  }));
  serve(server, createAccount, ({ caller, body }) => create(app, caller, body.name));
  serve(server, renameAccount, ({ caller, body }) => rename(app, caller, body.name));
  serve(server, transferCredits, ({ caller, body, request }) =>
    transfer(app, caller, body, requestIdentity(app, request, body)?.key ?? null),
  );
  serve(server, getProfile, ({ caller }) => profileOf(app, caller.person_id));
  serve(server, updateProfile, ({ caller, body, request }) =>
    changeProfile(app, caller, { change: body, client: clientOf(request) }),
  );
  serve(server, deleteProfile, async ({ caller, body, request }) => {
    await deletePerson(app, caller, { ...body, client: clientOf(request) });
    return undefined;
  });
  serve(server, getTwoFactor, ({ caller }) => twoFactorOf(app, caller.person_id));
  serve(server, updateTwoFactor, ({ caller, body, request }) =>
    changeTwoFactor(app, caller, { body, client: clientOf(request) }),
  );
  serve(server, getBranding, ({ caller }) => brandingOf(app, caller.account_id));
  serve(server, updateBranding, ({ caller, body }) => changeBranding(app, caller, body));
  serve(server, updateLowBalance, ({ caller, body }) => changeLowBalance(app, caller, body));
  serve(server, previewBranding, ({ body }) => previewMessages(app, body));
}
