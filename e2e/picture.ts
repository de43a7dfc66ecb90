import type { Page } from 'playwright-core';
import type { Tokens } from './demo.ts';
import { settled } from './settled.ts';

/** One state of one screen, as a picture shows it. */
export interface Picture {
  name: string;
  path: string;
  /** default: a visitor */
  as?: Tokens;
  /** an API call that fails */
  failing?: string;
  /** an API call that never gets a response */
  waiting?: string;
  /** only the window instead of the whole page */
  isCut?: boolean;
  /** the steps before the picture is taken */
  act?: (page: Page) => Promise<void>;
}

export const press = (name: string) => async (page: Page) => {
  await page.getByRole('button', { name, exact: true }).first().click();
};
/** The button opens a dialog. */
export const pressFor = (name: string) => async (page: Page) => {
  await press(name)(page);
  await page.getByRole('dialog').waitFor();
};
export const openRow = async (page: Page) => {
  await page.locator('tbody tr:not([aria-hidden])').first().click();
  await page.getByRole('dialog').waitFor();
};

export async function openAccount(page: Page, email = 'demo@example.com'): Promise<void> {
  await page.locator('tbody').getByText(email).first().click();
  await page.getByRole('heading', { name: email, level: 1 }).waitFor();
  await settled(page);
}
