import { escapeMarkup } from './escape.ts';

/** Safe markup: only the `html` tag creates it, and the tag escapes every inserted text. */
export interface Html {
  readonly markup: string;
}

export type HtmlPart = string | Html | readonly Html[];

export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  return { markup: strings.reduce((markup, piece, index) => markup + put(parts[index - 1] ?? '') + piece) };
}

function put(part: HtmlPart): string {
  if (typeof part === 'string') return escapeMarkup(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

export const nothing: Html = { markup: '' };

/** Text with its line breaks preserved. */
export function lines(text: string): Html[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line, index) => (index === 0 ? html`${line}` : html`<br>${line}`));
}
