const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML or XML, in elements and in quoted attributes. Drops characters that neither format allows. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '')
    .replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** Turns text into a single line for a header-like field: no line breaks, control characters or surrounding spaces. */
export function headerText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

/** Safe markup. Only the `html` tag creates it, and the tag escapes every inserted text. */
export interface Html {
  readonly markup: string;
}

type HtmlPart = string | Html | readonly Html[];

export function html(strings: TemplateStringsArray, ...parts: HtmlPart[]): Html {
  return { markup: strings.reduce((markup, piece, index) => markup + put(parts[index - 1] ?? '') + piece) };
}

function put(part: HtmlPart): string {
  if (typeof part === 'string') return escapeMarkup(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

/** Text with its line breaks preserved. */
export function lines(text: string): Html[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line, index) => (index === 0 ? html`${line}` : html`<br>${line}`));
}

/**
 * The layout of every e-mail: one card of tables with inline styles, which fits a phone without any style block. Style blocks add
 * the dark mode and the sizes of larger screens. No external images, fonts or links. `web/e2e/mail-programs.test.ts` has the rules
 * of mail programs.
 */
export interface Sheet {
  /** English unless given, and from left to right. */
  language?: string;
  direction?: 'ltr' | 'rtl';
  /** Shown above the card. */
  name: string;
  subject: string;
  /** The preview text in inboxes. */
  preheader: string;
  content: readonly Html[];
  /** Small print below the card, one entry per line. */
  footer: readonly Html[];
  /** The attributes of the small print, as those of a paragraph. */
  footerAs?: Html;
}

const AUTO: Html = { markup: 'dir="auto"' };
const sans = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const mono = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace";

export function renderSheet(sheet: Sheet): string {
  const { language = 'en', direction = 'ltr', name, subject, preheader, content, footer, footerAs } = sheet;
  return html`<!DOCTYPE html>
<html lang="${language}" dir="${direction}" xmlns:o="urn:schemas-microsoft-com:office:office">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<meta name="x-apple-disable-message-reformatting">
<title>${subject}</title>
<!--[if mso]><noscript><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml></noscript><![endif]-->
${styles}
</head>
<body class="page" style="margin:0;padding:0;background-color:#f3f4f6;-webkit-text-size-adjust:100%;text-size-adjust:100%;">
<div style="display:none;max-height:0;max-width:0;overflow:hidden;mso-hide:all;">${preheader}${filler}</div>
<table role="presentation" lang="${language}" dir="${direction}" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#f3f4f6" style="background-color:#f3f4f6;">
<tr><td align="center" class="outer" style="padding:24px 12px;">
<!--[if mso]><table role="presentation" width="480" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:480px;">
<tr><td class="name" style="padding:0 4px 16px;font-family:${font(sans)};font-size:17px;line-height:24px;font-weight:600;color:#11182f;word-break:break-word;"><span dir="auto">${name}</span></td></tr>
<tr><td class="card" bgcolor="#ffffff" style="padding:24px 20px;background-color:#ffffff;border:1px solid #e2e5ea;border-radius:14px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
${content}</table>
</td></tr>
<tr><td style="padding:20px 4px 0;">${footer.map((line) => small(line, footerAs))}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr>
</table>
</body>
</html>
`.markup;
}

export function heading(text: string): Html {
  return html`<tr><td style="padding:0 0 12px;"><h1 dir="auto" class="strong" style="margin:0;font-family:${font(sans)};font-size:21px;line-height:28px;font-weight:700;color:#11182f;">${text}</h1></td></tr>
`;
}

/** A paragraph has the direction of its first letter unless `as` gives it another one. */
export function paragraph(content: Html | readonly Html[], as: Html = AUTO): Html {
  return html`<tr><td style="padding:0 0 16px;"><p ${as} class="text" style="margin:0;font-family:${font(sans)};font-size:16px;line-height:24px;color:#36404f;word-break:break-word;">${content}</p></td></tr>
`;
}

/** A muted paragraph at the end of the card. */
export function note(content: Html | readonly Html[], as: Html = AUTO): Html {
  return html`<tr><td style="padding:4px 0 0;"><p ${as} class="muted" style="margin:0;font-family:${font(sans)};font-size:14px;line-height:21px;color:#5b6472;word-break:break-word;">${content}</p></td></tr>
`;
}

/** One text node, so that a double click or a long press selects exactly the code. */
export function codeBox(code: string): Html {
  return html`<tr><td style="padding:4px 0 20px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" class="box" bgcolor="#f3f4f6" style="padding:20px 4px;font-family:${font(mono)};font-size:32px;line-height:44px;background-color:#f3f4f6;border-radius:10px;"><span dir="ltr" class="code" style="font-family:${font(mono)};font-size:32px;line-height:44px;font-weight:700;letter-spacing:4px;margin-right:-4px;color:#11182f;white-space:nowrap;-webkit-user-select:all;user-select:all;">${code}</span></td></tr></table>
</td></tr>
`;
}

export function inlineCode(code: string): Html {
  return html`<strong dir="ltr" class="strong" style="color:#11182f;white-space:nowrap;">${code}</strong>`;
}

export function button({ label, url }: { label: string; url: string }): Html {
  return html`<tr><td style="padding:4px 0 20px;">
<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" bgcolor="#2a4494" style="background-color:#2a4494;border-radius:8px;mso-padding-alt:12px 22px;"><a href="${url}" target="_blank" rel="noopener" style="display:inline-block;padding:12px 22px;font-family:${font(sans)};font-size:16px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none;">${label}</a></td></tr></table>
</td></tr>
`;
}

export function link(url: string, label = url): Html {
  return html`<a href="${url}" class="link" style="color:#2a4494;text-decoration:underline;overflow-wrap:anywhere;word-break:break-word;">${label}</a>`;
}

function small(content: Html, as: Html = AUTO): Html {
  return html`<p ${as} class="muted" style="margin:0 0 6px;font-family:${font(sans)};font-size:13px;line-height:19px;color:#5b6472;word-break:break-word;">${content}</p>`;
}

function font(families: string): Html {
  return { markup: families };
}

/** Fills the inbox preview, so that the text that comes next does not appear in it. */
const filler: Html = { markup: '&#847;&zwnj;&nbsp;'.repeat(90) };

/** A program that does not understand a rule may drop the block around it. */
const styles: Html = {
  markup: [
    `:root{color-scheme:light dark;supported-color-schemes:light dark}
table{border-collapse:separate;mso-table-lspace:0;mso-table-rspace:0}`,
    `@media (min-width:481px){.outer{padding:40px 16px!important}.card{padding:32px!important}.box,.code{font-size:36px!important}.code{letter-spacing:7px!important;margin-right:-7px!important}}`,
    `@media (prefers-color-scheme:dark){
.page{background-color:#0f1216!important}.card{background-color:#191d23!important;border-color:#2c323b!important}.box{background-color:#0f1216!important}
.name,.strong,.code{color:#f3f4f6!important}.text{color:#d3d7de!important}.muted{color:#9aa3b0!important}.link{color:#9db2ff!important}}`,
    `a[x-apple-data-detectors]{color:inherit!important;text-decoration:none!important}
[data-ogsc] .name,[data-ogsc] .strong,[data-ogsc] .code{color:#f3f4f6!important}[data-ogsc] .text{color:#d3d7de!important}[data-ogsc] .muted{color:#9aa3b0!important}[data-ogsc] .link{color:#9db2ff!important}
[data-ogsb] .page{background-color:#0f1216!important}[data-ogsb] .card{background-color:#191d23!important}[data-ogsb] .box{background-color:#0f1216!important}`,
  ]
    .map((rules) => `<style>\n${rules}\n</style>`)
    .join('\n'),
};
