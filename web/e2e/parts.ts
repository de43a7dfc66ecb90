import type { Locator, Page } from 'playwright-core';
import { eventually } from './browser.ts';

/** The parts of a screen by their names. */

type Within = Page | Locator;

export const region = (within: Within, name: string): Locator =>
  within.getByRole('region', { name, exact: true });
export const form = (within: Within, name: string): Locator =>
  within.getByRole('form', { name, exact: true });
export const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name, exact: true });

/** Waits for a screen by its heading. */
export const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();

export const shownIn = (within: Within, text: string | RegExp): Promise<void> =>
  within.getByText(text).first().waitFor();

/** Waits for a toast and closes it, in one step: after four seconds it closes by itself. */
export async function dismiss(page: Page, toast: string): Promise<void> {
  const shown = page.getByRole('alert').filter({ hasText: toast });
  await shown.getByRole('button', { name: 'Dismiss' }).dispatchEvent('click');
  await shown.waitFor({ state: 'detached' });
}

/** Scrolls to a part that loads once it is near, and is then replaced. */
export const scrollTo = (part: Locator): Promise<void> =>
  eventually(() => part.scrollIntoViewIfNeeded({ timeout: 2_000 }));
