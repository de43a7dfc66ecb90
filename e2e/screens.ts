import { operatorPages } from '../web/src/operator/operator-pages.ts';
import { mainPages, otherPages, secondaryPages } from '../web/src/pages.ts';

/** Every signed-in screen with its heading. */
export const SIGNED_IN = [...mainPages, ...secondaryPages].map(({ path, title }) => ({
  path,
  heading: title,
}));

/** The paths of all signed-in screens, of their further views, and of the console. */
export const VIEW_PATHS = [
  ...SIGNED_IN.map(({ path }) => path),
  '/settings/activity',
  '/?mode=test&view=inbox',
  ...Object.values(operatorPages).map(({ path }) => path),
];

/** Public screens with one of their texts. */
export const PUBLIC = [
  { path: otherPages.signIn.path, text: 'Forgot your password?' },
  { path: otherPages.signUp.path, text: 'Confirm Password' },
  { path: otherPages.terms.path, text: 'Service description' },
  { path: otherPages.privacy.path, text: 'Information we collect' },
  { path: otherPages.sandbox.path, text: 'bob.' },
  { path: '/no-such-page', text: 'Not Found' },
] as const;
