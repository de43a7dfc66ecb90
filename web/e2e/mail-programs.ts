// Functions that run in the page use the types of the DOM.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/**
 * What mail programs strip from a mail or ignore of it, and how they change its colors in the dark. Each is at least as strict as
 * the program: a mail that holds here also holds where a program has learned more.
 */
export type Look =
  | 'light'
  /** `prefers-color-scheme` */
  | 'dark'
  /** inverts every color */
  | 'inverted'
  /** inverts light backgrounds and the dark text on them */
  | 'darkened'
  /** darkens, then marks the mail for its `[data-ogsc]` rules */
  | 'marked';

export interface Program {
  name: string;
  looks: readonly Look[];
  width: number;
  /** The style blocks that it applies: all, those without attribute selectors, or none. */
  styles: 'all' | 'plain' | 'none';
  /** The media features that it knows. */
  media: readonly string[];
  /** Inline properties that it removes or ignores. */
  ignores: RegExp;
  /** Shows the mail within a page of its own, without the attributes of `html` and `body`. */
  inPage: boolean;
  /** Reads the comments for Microsoft Office, and `mso-padding-alt`. */
  isWord?: true;
}

const NOTHING = /^$/;
const ONLINE = /^(position|user-select|-webkit-user-select|behavior|mso-.*)$/;
const ALL = { styles: 'all', inPage: false, ignores: NOTHING, width: 320 } as const;
const PAGE = { styles: 'plain', inPage: true, ignores: ONLINE, width: 320 } as const;
const WIDTH = ['min-width', 'max-width'];

export const PROGRAMS: readonly Program[] = [
  { name: 'Gmail', ...PAGE, looks: ['light'], media: WIDTH },
  { name: 'Gmail app', ...PAGE, looks: ['light', 'inverted', 'darkened'], media: WIDTH },
  { name: 'Gmail app, other account', ...PAGE, styles: 'none', looks: ['light', 'darkened'], media: [] },
  {
    name: 'Outlook for Windows',
    looks: ['light', 'inverted'],
    width: 600,
    styles: 'plain',
    media: [],
    // Word knows no boxes of inline elements either.
    ignores:
      /^(position|float|display|max-width|max-height|overflow|border-radius|background-image|.*user-select|text-size-adjust)$/,
    inPage: false,
    isWord: true,
  },
  { name: 'Outlook.com', ...PAGE, styles: 'all', looks: ['light', 'marked'], media: WIDTH },
  {
    name: 'Apple Mail',
    ...ALL,
    width: 600,
    looks: ['light', 'dark'],
    media: [...WIDTH, 'prefers-color-scheme'],
  },
  { name: 'iOS Mail', ...ALL, looks: ['light', 'dark'], media: [...WIDTH, 'prefers-color-scheme'] },
  { name: 'Yahoo', ...PAGE, looks: ['light'], media: WIDTH },
  { name: 'Yahoo app', ...PAGE, styles: 'none', looks: ['light', 'darkened'], media: [] },
  {
    name: 'Thunderbird',
    ...ALL,
    looks: ['light', 'dark', 'darkened'],
    media: [...WIDTH, 'prefers-color-scheme'],
  },
];

export interface Shown {
  /** names the frame */
  id: string;
  html: string;
  program: Program;
  look: Look;
}

/** Every mail in every program and look. */
export const shownIn = (mails: Record<string, string>, programs = PROGRAMS): Shown[] =>
  programs.flatMap((program) =>
    program.looks.flatMap((look) =>
      Object.entries(mails).map(([mail, html]) => ({
        id: `${mail} in ${program.name}, ${look}`,
        html: program.isWord ? html.replace(/<!--\[if mso\]>(<(?!noscript).*?)<!\[endif\]-->/gs, '$1') : html,
        program,
        look,
      })),
    ),
  );

/** Draws the mails in frames of one page, which must not emulate a color scheme. */
export async function draw(page: Page, shown: readonly Shown[]): Promise<void> {
  await page.setContent('<!doctype html><body></body>');
  const frames = shown.map(({ id, html, look, program }) => ({
    ...{ id, html, look },
    ...program,
    ignores: program.ignores.source,
  }));
  await page.evaluate(drawFrames, frames);
}

type Frame = Omit<Program, 'ignores'> & { id: string; html: string; look: Look; ignores: string };

async function drawFrames(frames: Frame[]): Promise<void> {
  /** Red, green, blue and opacity from 0 to 1. */
  const read = (color: string): number[] => {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
    return [red / 255, green / 255, blue / 255, alpha];
  };
  const lightness = (color: string): number => {
    const channels = read(color).slice(0, 3);
    return (Math.max(...channels) + Math.min(...channels)) / 2;
  };
  /** Keeps hue and saturation, as programs do. */
  const invert = (color: string): string => {
    const channels = read(color).slice(0, 3);
    const shift = 1 - 2 * lightness(color);
    return `rgb(${channels.map((one) => Math.round(255 * Math.min(1, Math.max(0, one + shift)))).join(' ')})`;
  };
  const isOpaque = (color: string): boolean => read(color)[3] !== 0;

  const strip = (given: Document, { styles, media, ignores, inPage, isWord }: Frame): void => {
    const ignored = new RegExp(ignores);
    for (const block of given.querySelectorAll('style')) {
      const text = block.textContent;
      if (styles === 'none' || (styles === 'plain' && /\[[\w-]+\]/.test(text))) block.remove();
      const asked = [...text.matchAll(/@media\s*\(([\w-]+)/g)].map(([, feature = '']) => feature);
      if (asked.some((feature) => !media.includes(feature))) block.remove();
    }
    for (const one of given.querySelectorAll<HTMLElement>('[style]')) {
      // A browser drops what only Word reads, so the text of the attribute is read.
      const declarations = (one.getAttribute('style') ?? '').split(';').flatMap((line) => {
        const [name = '', value = ''] = line.split(/:(.*)/s).map((part) => part.trim());
        const isInline = isWord && ['A', 'SPAN', 'STRONG'].includes(one.tagName);
        if (name === '' || ignored.test(name) || (isInline && /^(padding|margin)/.test(name))) {
          // Word hides an element by this property, and so do the others by the one that they keep.
          return isWord && /mso-hide/.test(one.getAttribute('style') ?? '') ? ['display:none'] : [];
        }
        if (isWord && name === 'mso-padding-alt') return [`padding:${value}`];
        return [`${name}:${value}`];
      });
      one.setAttribute('style', declarations.join(';'));
    }
    if (!inPage) return;
    for (const one of [given.documentElement, given.body])
      for (const { name } of [...one.attributes]) one.removeAttribute(name);
  };

  const recolor = (view: Window, look: Look): void => {
    const all = [...view.document.body.querySelectorAll<HTMLElement>('*'), view.document.body];
    const before = all.map((one) => {
      const { color, backgroundColor, borderTopColor } = view.getComputedStyle(one);
      return { one, color, backgroundColor, borderTopColor };
    });
    const behind = (one: Element): string => {
      for (let around: Element | null = one; around; around = around.parentElement) {
        const { backgroundColor } = view.getComputedStyle(around);
        if (isOpaque(backgroundColor)) return backgroundColor;
      }
      return 'rgb(255 255 255)';
    };
    const isOnLight = new Map(all.map((one) => [one, lightness(behind(one)) > 0.5]));
    const priority = look === 'marked' ? '' : 'important';
    for (const { one, color, backgroundColor, borderTopColor } of before) {
      if (look === 'inverted' || (isOnLight.get(one) && lightness(color) < 0.5))
        one.style.setProperty('color', invert(color), priority);
      if (isOpaque(backgroundColor) && (look === 'inverted' || lightness(backgroundColor) > 0.5))
        one.style.setProperty('background-color', invert(backgroundColor), priority);
      if (look === 'inverted' || lightness(borderTopColor) > 0.5)
        one.style.setProperty('border-color', invert(borderTopColor), priority);
    }
    // The program's own background.
    view.document.documentElement.style.backgroundColor = 'rgb(0 0 0)';
    if (look !== 'marked') return;
    view.document.documentElement.setAttribute('data-ogsc', '');
    view.document.documentElement.setAttribute('data-ogsb', '');
  };

  await Promise.all(
    frames.map(async (frame) => {
      const given = new DOMParser().parseFromString(frame.html, 'text/html');
      strip(given, frame);
      const element = document.createElement('iframe');
      element.name = frame.id;
      element.width = String(frame.width);
      element.style.cssText = `border:0;display:block;height:${frame.isWord ? 620 : 780}px`;
      // A frame inherits the color scheme of its element.
      element.style.colorScheme = frame.look === 'dark' ? 'dark' : 'light';
      element.srcdoc = `<!doctype html>${given.documentElement.outerHTML}`;
      document.body.append(element);
      await new Promise((done) => element.addEventListener('load', done));
      if (!['light', 'dark'].includes(frame.look)) recolor(element.contentWindow as Window, frame.look);
    }),
  );
}
