import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The least width and height of a control on a phone. */
const TARGET_PX = 44;

/**
 * In the page: finds controls that are smaller than a fingertip, in the topmost dialog or else in the whole page. A label or a
 * field's frame belongs to its control. Links within a sentence are exempt, as in WCAG 2.5.5.
 */
const TOO_SMALL = `(() => {
  const CONTROLS = 'a[href], button, input:not([type="hidden"]), select, textarea, summary, [role="tab"], [role="menuitem"]';
  const layers = [...document.querySelectorAll('[role="dialog"], [role="menu"]')].filter((one) => one.checkVisibility());
  const isInSentence = (one) => {
    if (one.tagName !== 'A') return false;
    let around = one;
    while (getComputedStyle(around).display === 'inline') around = around.parentElement;
    return around.textContent.trim().length > one.textContent.trim().length;
  };
  const partsOf = (one) => [one, one.closest('label'), one.closest('.mantine-Input-wrapper'), ...(one.labels ?? [])];
  return [...(layers.at(-1) ?? document).querySelectorAll(CONTROLS)].flatMap((one) => {
    const box = one.getBoundingClientRect();
    // visually hidden, or a drawing of a control next to it
    const isUnseen = !one.checkVisibility({ visibilityProperty: true }) || box.width <= 1 || box.bottom <= 0 || box.right <= 0;
    if (isUnseen || one.closest('[aria-hidden="true"], [inert]') || isInSentence(one)) return [];
    const boxes = partsOf(one).flatMap((part) => (part ? [part.getBoundingClientRect()] : []));
    const width = Math.max(...boxes.map((part) => part.width));
    const height = Math.max(...boxes.map((part) => part.height));
    if (width >= ${TARGET_PX} - 0.5 && height >= ${TARGET_PX} - 0.5) return [];
    const name = one.getAttribute('aria-label') ?? one.textContent.trim();
    return [Math.round(width) + ' x ' + Math.round(height) + ': ' + name + ' ' + one.outerHTML.slice(0, 100)];
  });
})()`;

/** Expects each control of the open dialog, or else of the page, to be large enough for a finger. */
export const expectTouchTargets = async (page: Page, name = page.url()): Promise<void> =>
  expect(await page.evaluate(TOO_SMALL), `controls of ${name}`).toEqual([]);
