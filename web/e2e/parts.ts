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

/** Scrolls to a part that loads once it is near, and is then replaced. */
export const scrollTo = (part: Locator): Promise<void> =>
  eventually(() => part.scrollIntoViewIfNeeded({ timeout: 2_000 }));
