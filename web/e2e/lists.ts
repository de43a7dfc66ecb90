import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventually } from './browser.ts';

/** Reads and operates a list screen. */

export const rows = (page: Page, table: string): Locator =>
  page
    .getByRole('table', { name: table })
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });

/** Chooses from one of the filters above a list. */
export async function choose(page: Page, filter: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: filter, exact: true }).selectOption({ label: option });
}

export const chosen = (page: Page, filter: string): Promise<string | null> =>
  page
    .getByRole('combobox', { name: filter, exact: true })
    .getByRole('option', { selected: true })
    .textContent();

/** 'Showing 1-10 of 12 OTP(s)' and so on, as soon as it is shown. */
export const showing = (page: Page, text: string): Promise<void> =>
  page.getByText(`Showing ${text}`, { exact: true }).waitFor();

/** Waits until the address is the expected one. */
export const expectAddress = (page: Page, pathAndSearch: string): Promise<void> =>
  eventually(() => {
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toBe(pathAndSearch);
  });
