import type { Locator, Page } from 'playwright-core';
import { settled } from './settled.ts';

/** The steps to the states of the screens. They work on a desktop, a tablet and a phone. */
export type Steps = (page: Page) => Promise<void>;
type Name = string | RegExp;

export const dialog = (page: Page): Locator => page.getByRole('dialog').last();

/** Clicks the first visible button, link, tab or item of a menu with this name. */
async function click(page: Page, name: Name): Promise<void> {
  const exact = typeof name === 'string';
  await (['link', 'tab', 'menuitem', 'option'] as const)
    .map((role) => page.getByRole(role, { name, exact }))
    .reduce((either, one) => either.or(one), page.getByRole('button', { name, exact }))
    .filter({ visible: true })
    .first()
    .click();
}

/** Clicks one name after another. */
export const clicks =
  (...names: Name[]): Steps =>
  async (page) => {
    for (const name of names) await click(page, name);
  };

/** One after another, each once the page has settled after the one before. */
export const inTurn =
  (...steps: Steps[]): Steps =>
  async (page) => {
    for (const step of steps) {
      await step(page);
      await settled(page);
    }
  };

export const openRow: Steps = async (page) => {
  await page.locator('main tbody tr:not([aria-hidden])').first().click();
  await dialog(page).waitFor();
};

export const submit: Steps = (page) => dialog(page).locator('button[type="submit"]').last().click();
export const submitEmpty: Steps = (page) => page.locator('form button[type="submit"]').first().click();

/** Fills in fields of the open dialog. */
export const fill =
  (fields: Record<string, string>): Steps =>
  async (page) => {
    for (const [label, text] of Object.entries(fields))
      await dialog(page).getByLabel(label, { exact: true }).first().fill(text);
  };

export const press =
  (keys: string): Steps =>
  (page) =>
    page.keyboard.press(keys);

/** An action of the first row: wide rows have buttons, narrow ones a menu. */
export const rowAction =
  (action: string, item: Name = new RegExp(`^${action}`)): Steps =>
  async (page) => {
    await page.locator('main tbody tr:not([aria-hidden])').first().waitFor();
    const button = page.locator('tbody').getByRole('button', { name: new RegExp(`^${action}`) });
    if ((await button.count()) > 0) await button.first().click();
    else await clicks(/^Actions for/, item)(page);
    await dialog(page).waitFor();
  };

/** Searches in the palette until an option matches. */
export const searchEverywhere =
  (text: string, match: RegExp): Steps =>
  async (page) => {
    await page.keyboard.press('Control+k');
    await dialog(page).getByRole('combobox').fill(text);
    // Matches arrive after the commands.
    await page.getByRole('option', { name: match }).first().waitFor();
  };

export const near =
  (region: string, ...names: Name[]): Steps =>
  async (page) => {
    await page.getByRole('region', { name: region, exact: true }).scrollIntoViewIfNeeded();
    await settled(page);
    await clicks(...names)(page);
  };

/** Waits for the result, which takes seconds. */
export const playWorstDay: Steps = async (page) => {
  await page.getByRole('button', { name: /^Play (Worst Day|Again)$/ }).click();
  await page.getByRole('list', { name: 'Campaigns' }).waitFor();
};

export async function openUserMenu(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: /demo@example\.com$/ });
  // On phones and tablets, it is in the drawer.
  if (!(await menu.isVisible())) await clicks('Toggle sidebar')(page);
  await menu.click();
}

/** Wide windows have the filters above the list; there, it opens the menu of columns. */
export async function openFilters(page: Page): Promise<void> {
  const sheet = page.getByRole('button', { name: 'Filters', exact: true });
  if (await sheet.isVisible()) await sheet.click();
  else await page.getByRole('button', { name: /^Columns/ }).click();
}

export async function sendTestCode(page: Page): Promise<void> {
  await clicks('Send a Test Code')(page);
  await submit(page);
  await dialog(page).getByRole('button', { name: 'Verify Code' }).waitFor();
}

export async function openOptions(page: Page): Promise<void> {
  await clicks('Send a Test Code')(page);
  await dialog(page).getByText('More options').click();
}

export async function chooseChannels(page: Page): Promise<void> {
  await clicks('Send a Test Code')(page);
  await dialog(page).getByText('Several in turn').click();
  await dialog(page).getByRole('button', { name: 'Move Voice up' }).waitFor();
}

export async function sendChosen(page: Page): Promise<void> {
  await submit(page);
  await dialog(page).getByRole('list', { name: 'Steps' }).waitFor();
}
