import { createRoute, redirect, type SearchSchemaInput, stripSearchParams } from '@tanstack/react-router';
import { keepInvitation, keptInvitation } from '../accounts/kept-invitation.ts';
import { leadingToAccount, namesAccount } from '../api/account.ts';
import { isSignedIn, pathOfThisOrigin } from '../api/session.ts';
import { lazyRouteComponent } from '../frame/lazy-screen.ts';
import { titled } from '../frame/title.ts';
import { otherPages } from '../pages.ts';
import { root } from './root.tsx';

interface SignedOut {
  redirect?: string;
}

/** The signed-out area. Redirects signed-in visitors to / or to the `redirect` parameter. */
const auth = createRoute({
  getParentRoute: () => root,
  id: '_auth',
  validateSearch: (raw: SignedOut & SearchSchemaInput): SignedOut => ({
    ...(typeof raw.redirect === 'string' && { redirect: pathOfThisOrigin(raw.redirect) }),
  }),
  beforeLoad: ({ search }) => {
    if (!isSignedIn()) return;
    const href = leadingToAccount(search.redirect ?? '/');
    throw redirect({ href, reloadDocument: namesAccount(href) });
  },
  component: lazyRouteComponent(() => import('../accounts/AuthLayout.tsx'), 'SignedOutLayout'),
});

interface Flags {
  sso?: boolean;
  reset?: boolean;
  ended?: boolean;
}

const signIn = createRoute({
  getParentRoute: () => auth,
  path: '/sign-in',
  /** `sso`: asks for the address to sign in with SSO; `reset`: the password has just been changed; `ended`: the session has expired or was ended elsewhere */
  validateSearch: (raw: Flags & SearchSchemaInput): Flags => ({
    ...(String(raw.reset) === 'true' && { reset: true }),
    ...(String(raw.ended) === 'true' && { ended: true }),
    ...(String(raw.sso) === 'true' && { sso: true }),
  }),
  head: titled(otherPages.signIn),
  component: lazyRouteComponent(() => import('../accounts/SignIn.tsx'), 'SignIn'),
});

const signUp = createRoute({
  getParentRoute: () => auth,
  path: '/sign-up',
  head: titled(otherPages.signUp),
  component: lazyRouteComponent(() => import('../accounts/SignUp.tsx'), 'SignUp'),
});

const forgotPassword = createRoute({
  getParentRoute: () => auth,
  path: '/forgot-password',
  head: titled(otherPages.forgotPassword),
  component: lazyRouteComponent(() => import('../accounts/ForgotPassword.tsx'), 'ForgotPassword'),
});

/** Open to people who are signed in, too: they may have forgotten their password. */
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  head: titled(otherPages.resetPassword),
  component: lazyRouteComponent(() => import('../accounts/ResetPassword.tsx'), 'ResetPassword'),
});

/** Where mails about blocked destinations link to. Open to everybody: the token is the proof. */
const unblock = createRoute({
  getParentRoute: () => root,
  path: '/protection/unblock',
  validateSearch: ({ token }: Record<string, unknown>) => ({ token: typeof token === 'string' ? token : '' }),
  head: titled(otherPages.unblock),
  component: lazyRouteComponent(() => import('../protection/Unblock.tsx'), 'Unblock'),
});

/**
 * Where the mail of an invitation leads. Open to everybody: the token in the fragment is the proof. The tab keeps it, so that it is
 * in no address of the sign-in and in no page before.
 */
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations',
  beforeLoad: ({ location: { hash } }) => {
    if (hash === '') return { token: keptInvitation() };
    keepInvitation(hash);
    throw redirect({ to: '/invitations', hash: '', replace: true });
  },
  head: titled(otherPages.invitation),
  component: lazyRouteComponent(() => import('../accounts/InvitationPage.tsx'), 'InvitationPage'),
});

/** The links of emails from before the token was in the fragment. */
const earlierInvitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations/$token',
  beforeLoad: ({ params: { token } }) => {
    throw redirect({ to: '/invitations', hash: token, replace: true });
  },
});

/** Where the identity provider of an account sends the browser back. */
const ssoCallbackOfAccount = createRoute({
  getParentRoute: () => root,
  path: '/sso/callback/$account_id',
  head: titled(otherPages.ssoCallback),
  component: lazyRouteComponent(() => import('../accounts/sso/SsoCallback.tsx'), 'SsoCallback'),
});

/** Where those of settings from before do, and the pages that link an identity or begin a step-up. */
const ssoCallback = createRoute({
  getParentRoute: () => root,
  path: '/sso/callback',
  head: titled(otherPages.ssoCallback),
  component: lazyRouteComponent(() => import('../accounts/sso/SsoCallback.tsx'), 'SsoCallback'),
});

/** Where an identity provider begins a sign-in. */
const ssoStart = createRoute({
  getParentRoute: () => root,
  path: '/sso/start',
  head: titled(otherPages.ssoStart),
  component: lazyRouteComponent(() => import('../accounts/sso/SsoStart.tsx'), 'SsoStart'),
});

const sandbox = createRoute({
  getParentRoute: () => root,
  path: '/sandbox',
  validateSearch: (raw: { recipient?: string } & SearchSchemaInput): { recipient: string } => ({
    recipient: raw.recipient === undefined ? '' : String(raw.recipient),
  }),
  search: { middlewares: [stripSearchParams({ recipient: '' })] },
  head: titled(otherPages.sandbox),
  component: lazyRouteComponent(() => import('../public/Inbox.tsx'), 'Inbox'),
});

const terms = createRoute({
  getParentRoute: () => root,
  path: '/terms',
  head: titled(otherPages.terms),
  component: lazyRouteComponent(() => import('../public/Terms.tsx'), 'Terms'),
});

const privacy = createRoute({
  getParentRoute: () => root,
  path: '/privacy',
  head: titled(otherPages.privacy),
  component: lazyRouteComponent(() => import('../public/Privacy.tsx'), 'Privacy'),
});

export const publicRoutes = [
  auth.addChildren([signIn, signUp, forgotPassword]),
  resetPassword,
  unblock,
  invitation,
  earlierInvitation,
  ssoCallback,
  ssoCallbackOfAccount,
  ssoStart,
  sandbox,
  terms,
  privacy,
] as const;
