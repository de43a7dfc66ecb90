// Inspections run in the page.
/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { CDPSession, Frame, Page } from 'playwright-core';
import { settled } from './settled.ts';

/**
 * What is examined on every screen, and on every dialog, sheet and menu that opens on one. An inspection runs in the page, so it uses
 * nothing outside of itself, and returns its faults.
 */
interface Inspection {
  /** default: a screen and what opens on it */
  of?: 'screen' | 'layer';
  /** only at this width */
  width?: 390 | 1280;
  /** `layer` is the topmost dialog, sheet or menu, or else the document. */
  faults(layer: ParentNode): string[];
}

const INSPECTIONS: Record<string, Inspection> = {
  'wider than the dialog, sheet or menu around it': {
    of: 'layer',
    faults() {
      const scrolls = (one: Element) => /auto|scroll|hidden|clip/.test(getComputedStyle(one).overflowX);
      const isShown = (one: Element) => one.checkVisibility();
      const outline = (one: Element) => one.outerHTML.slice(0, 120);
      return [...document.querySelectorAll('[role="dialog"], [role="menu"]')]
        .filter(isShown)
        .flatMap((frame) => {
          const box = frame.getBoundingClientRect();
          const isCut = (one: Element): boolean => {
            const { left, right, width } = one.getBoundingClientRect();
            if (width <= 1 || (left >= box.left - 1 && right <= box.right + 1)) return false;
            for (let around = one.parentElement; around && around !== frame; around = around.parentElement)
              if (scrolls(around)) return false;
            return isShown(one);
          };
          const found = [...frame.querySelectorAll('*')].filter(isCut).map(outline);
          if (frame.scrollWidth > frame.clientWidth + 1) found.push(`scrolls sideways: ${outline(frame)}`);
          if (box.left < -1 || box.right > innerWidth + 1)
            found.push(`outside of the window: ${outline(frame)}`);
          return found;
        });
    },
  },
  'wider than the window': {
    of: 'screen',
    faults: () =>
      document.documentElement.scrollWidth > innerWidth
        ? [`${document.documentElement.scrollWidth} of ${innerWidth} pixels`]
        : [],
  },
  'a list wider than its place': {
    of: 'screen',
    faults: () =>
      [...document.querySelectorAll('main table')].flatMap((table) =>
        table.scrollWidth > (table.parentElement?.clientWidth ?? 0)
          ? [`${table.getAttribute('aria-label')}: ${table.scrollWidth}`]
          : [],
      ),
  },
  /** Each row of filters is as wide as the toolbar. */
  'a row of filters that does not fill its width': {
    of: 'screen',
    faults() {
      if (new URLSearchParams(location.search).get('days') !== 'custom') return [];
      const toolbar = document.querySelector('main [data-toolbar]')?.getBoundingClientRect();
      const boxes = [...document.querySelectorAll('main [data-filters] > *')]
        .filter((one) => one.checkVisibility())
        .map((one) => one.getBoundingClientRect());
      if (!toolbar || boxes.length === 0) return innerWidth < 1280 ? [] : ['no filters'];
      const rows: DOMRect[][] = [];
      for (const box of boxes) {
        // The boxes of a row can differ by a part of a pixel.
        const row = rows.find(([first]) => Math.abs((first?.top ?? 0) - box.top) < 4);
        if (row) row.push(box);
        else rows.push([box]);
      }
      return rows.flatMap((row) => {
        const left = Math.min(...row.map((box) => box.left)) - toolbar.left;
        const right = toolbar.right - Math.max(...row.map((box) => box.right));
        return left < 2 && right < 2
          ? []
          : [`${left} px before and ${right} px after the row at ${row[0]?.top} px`];
      });
    },
  },
  'a list whose first row begins below the upper third of a phone': {
    of: 'screen',
    width: 390,
    faults() {
      const isList = /^\/(|logs|api-keys|connections|webhooks|settings\/activity|operator\/accounts)$/;
      const row = document.querySelector('main tr[data-row]');
      if (!isList.test(location.pathname) || location.search || !row) return [];
      const top = row.getBoundingClientRect().top + scrollY;
      return top > 315 ? [`${top} px`] : [];
    },
  },
  /** The console's rows also have whole texts, and the names of accounts. */
  'a row higher than four lines, or three on a phone': {
    of: 'screen',
    faults: () =>
      location.pathname.startsWith('/operator')
        ? []
        : [...document.querySelectorAll('main tr[data-row]')].flatMap((row) => {
            const { height } = row.getBoundingClientRect();
            return height > (innerWidth < 768 ? 72 : 112) ? [`${height}: ${row.textContent}`] : [];
          }),
  },
  /** A label or a field's frame belongs to its control. Links within a sentence are exempt, as in WCAG 2.5.5. */
  'smaller than a fingertip': {
    width: 390,
    faults(layer) {
      const TARGET_PX = 44;
      const CONTROLS =
        'a[href], button, input:not([type="hidden"]), select, textarea, summary, [role="tab"], [role="menuitem"]';
      const isInSentence = (one: Element): boolean => {
        if (one.tagName !== 'A') return false;
        let around = one;
        while (around.parentElement && getComputedStyle(around).display === 'inline')
          around = around.parentElement;
        return around.textContent.trim().length > one.textContent.trim().length;
      };
      const partsOf = (one: HTMLElement) => [
        one,
        one.closest('label'),
        one.closest('.mantine-Input-wrapper'),
        ...((one as HTMLInputElement).labels ?? []),
      ];
      return [...layer.querySelectorAll<HTMLElement>(CONTROLS)].flatMap((one) => {
        const box = one.getBoundingClientRect();
        // visually hidden, or a drawing of a control next to it
        const isUnseen =
          !one.checkVisibility({ visibilityProperty: true }) ||
          box.width <= 1 ||
          box.bottom <= 0 ||
          box.right <= 0;
        if (isUnseen || one.closest('[aria-hidden="true"], [inert]') || isInSentence(one)) return [];
        const boxes = partsOf(one).flatMap((part) => (part ? [part.getBoundingClientRect()] : []));
        const width = Math.max(...boxes.map((part) => part.width));
        const height = Math.max(...boxes.map((part) => part.height));
        if (width >= TARGET_PX - 0.5 && height >= TARGET_PX - 0.5) return [];
        const name = one.getAttribute('aria-label') ?? one.textContent.trim();
        return [`${Math.round(width)} x ${Math.round(height)}: ${name} ${one.outerHTML.slice(0, 100)}`];
      });
    },
  },
  /** Safari on iPhones zooms into fields with smaller text. */
  'a field with text below 16 px': {
    width: 390,
    faults: (layer) =>
      [
        ...layer.querySelectorAll(
          'input:not([type="checkbox"], [type="radio"], [type="hidden"]), textarea:not([aria-hidden])',
        ),
      ]
        .filter((one) => one.checkVisibility() && Number.parseFloat(getComputedStyle(one).fontSize) < 16)
        .map((one) => one.outerHTML.slice(0, 120)),
  },
  /** A search field also names the Enter key of a phone's keyboard. */
  'a field that does not say how a browser fills it in': {
    faults(layer) {
      const FIELDS =
        'input:not([type="hidden"], [type="checkbox"], [type="radio"], [type="date"], [type="datetime-local"], [readonly], :disabled)';
      return [...layer.querySelectorAll<HTMLInputElement>(FIELDS)].flatMap((field) => {
        if (!field.checkVisibility()) return [];
        const isVague = !field.autocomplete || (field.type === 'search' && field.enterKeyHint !== 'search');
        return isVague ? [field.labels?.[0]?.textContent ?? field.ariaLabel ?? field.outerHTML] : [];
      });
    },
  },
  /**
   * Names with descriptions, of buttons and links that several rows of a table or a list repeat. Links to the same place may, and
   * buttons that show the same recipient.
   */
  'a name that several rows repeat': {
    of: 'screen',
    faults() {
      const names = [...document.querySelectorAll<HTMLElement>('main :is(tbody tr, li) :is(button, a[href])')]
        .filter(
          (one) =>
            one.checkVisibility() &&
            !one.closest('nav, [role="menu"], [aria-hidden="true"]') &&
            one.tabIndex >= 0 &&
            !(one.tagName === 'BUTTON' && one.ariaLabel?.startsWith('View History of ')),
        )
        .map((one) => {
          const description = document.getElementById(one.getAttribute('aria-describedby') ?? '');
          const name = one.getAttribute('aria-label') ?? one.textContent.trim();
          return { name: `${name} ${description?.textContent ?? ''}`, href: one.getAttribute('href') };
        });
      const isRepeated = ({ name, href }: { name: string; href: string | null }): boolean =>
        names.filter((other) => other.name === name && (href === null || other.href !== href)).length >
        (href === null ? 1 : 0);
      return [...new Set(names.filter(isRepeated).map(({ name }) => name))];
    },
  },
  'a placeholder or chosen option that is cut off': {
    of: 'screen',
    faults: () =>
      [
        ...document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input[placeholder], main select'),
      ].flatMap((field) => {
        if (!field.checkVisibility() || (field instanceof HTMLInputElement && field.value)) return [];
        const text =
          field instanceof HTMLSelectElement ? (field.selectedOptions[0]?.text ?? '') : field.placeholder;
        const style = getComputedStyle(field, field instanceof HTMLSelectElement ? null : '::placeholder');
        const context = document.createElement('canvas').getContext('2d');
        if (!context) return [];
        context.font = [style.fontWeight, style.fontSize, style.fontFamily].join(' ');
        const { paddingLeft, paddingRight } = getComputedStyle(field);
        const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
        return context.measureText(text).width > room + 0.5 ? [text] : [];
      }),
  },
  'a breadcrumb that is cut off': {
    of: 'screen',
    faults: () =>
      [...document.querySelectorAll('nav[aria-label="Breadcrumb"] :is(a, span)')]
        .filter((one) => innerWidth >= 820 && one.checkVisibility() && one.scrollWidth > one.clientWidth)
        .map((one) => one.textContent),
  },
  'content of the console that begins below 180 px': {
    of: 'screen',
    width: 1280,
    faults() {
      if (!location.pathname.startsWith('/operator')) return [];
      const heading = document.querySelector('main h1')?.parentElement?.parentElement;
      const top = heading?.nextElementSibling?.getBoundingClientRect().top ?? 0;
      return top + scrollY > 180 ? [`${top + scrollY} px`] : [];
    },
  },
  /** Close stays in place while the content scrolls, and the header leaves room for the content. */
  'a dialog that a thumb cannot close': {
    of: 'layer',
    width: 390,
    faults(layer) {
      const close = (layer as Element).querySelector('button[aria-label="Close"]');
      if (!close) return [];
      const content = close.closest('.mantine-Modal-content, .mantine-Drawer-content');
      const scrolled = content?.scrollTop ?? 0;
      const before = close.getBoundingClientRect();
      content?.scrollTo(0, content.scrollHeight);
      const after = close.getBoundingClientRect();
      content?.scrollTo(0, scrolled);
      const isInSight = after.top >= 0 && after.right <= innerWidth && after.bottom <= innerHeight;
      const head = (layer as Element).querySelector('h2')?.parentElement?.parentElement;
      const height = head?.getBoundingClientRect().height ?? 0;
      return [
        ...(isInSight && Math.abs(after.top - before.top) < 1
          ? []
          : [`Close at ${before.top}, ${after.top}`]),
        ...(height < 160 ? [] : [`a header of ${height} px`]),
      ];
    },
  },
};

/** The faults of each inspection that found any. */
export type Faults = Record<string, string[]>;

const LAYER = `[...document.querySelectorAll('[role="dialog"], [role="menu"]')].filter((one) => one.checkVisibility()).at(-1)`;
export const hasLayer = (page: Page): Promise<boolean> => page.evaluate<boolean>(`Boolean(${LAYER})`);

/** All inspections but axe's, at the page's present width. */
export async function inspect(page: Page): Promise<Faults> {
  await settled(page);
  return await page.evaluate<Faults>(`(() => {
    const layer = ${LAYER};
    const found = {};
    for (const [name, { of, width, faults }] of Object.entries(${TABLE})) {
      if ((of === 'layer' && !layer) || (of === 'screen' && layer) || (width && width !== innerWidth)) continue;
      const some = faults(layer ?? document);
      if (some.length > 0) found[name] = some;
    }
    return found;
  })()`);
}

/** The inspections as a script of the page. */
const TABLE = `{${Object.entries(INSPECTIONS)
  .map(([name, { of, width, faults }]) => {
    const text = String(faults);
    const asProperty = /^faults\s*\(/.test(text) ? text : `faults: ${text}`;
    return `${JSON.stringify(name)}: { of: ${JSON.stringify(of)}, width: ${width}, ${asProperty} }`;
  })
  .join(',\n')}}`;

/**
 * Runs in the page. Skips rules of at most moderate impact: they take a third of the time and cannot fail a test. While a
 * dialog or menu is open, scans only that; each screen is inspected without one.
 */
const SCAN = `{
  const harmless = axe._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate');
  axe.run(${LAYER} ?? document, {
    resultTypes: ['violations'],
    rules: Object.fromEntries(harmless.map(({ id }) => [id, { enabled: false }])),
  }).then(({ violations }) => violations);
}`;

/** The serious and critical violations that axe finds. */
export async function scan(page: Page): Promise<Faults> {
  await settled(page);
  await loadAxe(page);
  const violations = (await page.evaluate(SCAN)) as AxeResults['violations'];
  return Object.fromEntries(
    violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ help, nodes }) => [help, nodes.map(({ html, target }) => `${target.join(' ')}: ${html}`)]),
  );
}

/**
 * Loading axe takes longer than a scan, so each document loads it once. The protocol's own evaluation compiles the text once per
 * tab, Playwright's `evaluate` once per document.
 */
async function loadAxe(page: Page): Promise<void> {
  if (!(await isAxeLoaded(page.mainFrame()))) {
    const session = sessions.get(page) ?? page.context().newCDPSession(page);
    sessions.set(page, session);
    await (await session).send('Runtime.evaluate', { expression: AXE });
  }
  // The page's results include its frames.
  for (const frame of page.frames().slice(1)) if (!(await isAxeLoaded(frame))) await frame.evaluate(AXE);
}

/**
 * One session per tab, until the tab closes: when any session of a tab is detached, Chromium removes the virtual authenticators
 * that another one added.
 */
const sessions = new WeakMap<Page, Promise<CDPSession>>();
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const isAxeLoaded = (frame: Frame): Promise<boolean> => frame.evaluate<boolean>('Boolean(window.axe)');
