import { mainPages, otherPages, secondaryPages } from '../web/src/pages.ts';

/** Every signed-in screen with its heading. */
export const SIGNED_IN = [...mainPages, ...secondaryPages].map(({ path, title }) => ({
  path,
  heading: title,
}));

/** Public screens with one of their texts. */
export const PUBLIC = [
  { path: otherPages.signIn.path, text: 'Forgot your password?' },
  { path: otherPages.signUp.path, text: 'Confirm Password' },
  { path: otherPages.terms.path, text: 'Service description' },
  { path: otherPages.privacy.path, text: 'Information we collect' },
  { path: otherPages.sandbox.path, text: 'bob.' },
  { path: '/no-such-page', text: 'Not Found' },
] as const;
