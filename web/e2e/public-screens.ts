import type { Page } from 'playwright-core';
import { otherPages } from '../src/pages.ts';
import type { Screen } from './screens.ts';
import { clicks, submitEmpty } from './steps.ts';

/** The screens of visitors. */
const SCREENS: Screen[] = [
  {
    name: 'sign-in',
    path: otherPages.signIn.path,
    states: [
      { name: 'sign-in-refused', steps: submitEmpty },
      { name: 'sso', steps: clicks(/SSO/) },
    ],
  },
  {
    name: 'sign-up',
    path: otherPages.signUp.path,
    states: [
      { name: 'sign-up-refused', steps: submitEmpty },
      { name: 'verification-code', steps: askForCode },
    ],
  },
  { name: 'forgot-password', path: otherPages.forgotPassword.path },
  { name: 'reset-password', path: otherPages.resetPassword.path },
  {
    name: 'sso-start',
    path: `${otherPages.ssoStart.path}?iss=${encodeURIComponent('https://idp.example.com/tenant')}`,
  },
  { name: 'terms', path: otherPages.terms.path },
  { name: 'privacy', path: otherPages.privacy.path },
  { name: 'not-found', path: '/no/such/page' },
  { name: 'sandbox-inbox', path: `${otherPages.sandbox.path}?recipient=new@` },
  {
    name: 'invitation',
    path: '/invitations#$invitation',
    states: [{ name: 'invited-sign-up', steps: clicks('Sign Up to Join'), changesScreen: true }],
  },
  { name: 'invitation-used', path: '/invitations#none', fails: true },
];

export const PUBLIC_SCREENS: Screen[] = SCREENS.map((screen) => ({ ...screen, loadsAt: [390] }));

async function askForCode(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(`${crypto.randomUUID()}@example.com`);
  await page.getByLabel('Phone').first().pressSequentially('4155552673');
  await page.getByLabel('Password', { exact: true }).fill('a password for looking');
  await page.getByLabel(/Confirm/).fill('a password for looking');
  await page.getByRole('button', { name: 'Sign Up' }).click();
  await page.getByRole('button', { name: 'Verify Code' }).waitFor();
}
