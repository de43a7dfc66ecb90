import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * In the page: finds fields, in the topmost dialog or else in the whole page, that do not say how a browser fills them in. A search
 * field also names the Enter key of a phone's keyboard.
 */
const VAGUE = `(() => {
  const FIELDS = 'input:not([type="hidden"], [type="checkbox"], [type="radio"], [type="date"], [type="datetime-local"], [readonly], :disabled)';
  const layers = [...document.querySelectorAll('[role="dialog"], [role="menu"]')].filter((one) => one.checkVisibility());
  return [...(layers.at(-1) ?? document).querySelectorAll(FIELDS)].flatMap((field) => {
    if (!field.checkVisibility()) return [];
    const isVague = !field.autocomplete || (field.type === 'search' && field.enterKeyHint !== 'search');
    return isVague ? [field.labels?.[0]?.textContent ?? field.ariaLabel ?? field.outerHTML] : [];
  });
})()`;

/** Expects each field of the open dialog, or else of the page, to suit password managers and a phone's keyboard. */
export const expectKeyboards = async (page: Page, name = page.url()): Promise<void> =>
  expect(await page.evaluate(VAGUE), `fields of ${name}`).toEqual([]);
