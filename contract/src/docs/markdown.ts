import { type Block, type Chapter, type Part, type Sample, sampleLanguages, type Text } from './chapter.ts';
import { headingOf, piecesOf } from './text.ts';

/** The documentation as Markdown, for language models and other programs. */

/** A text as Markdown. `site` is the dashboard's URL without a final slash. */
const textIn = (text: Text, site: string): string =>
  piecesOf(text)
    .map((piece) => {
      if (piece.kind === 'code') return `\`${piece.text}\``;
      if (piece.kind === 'strong') return `**${piece.text}**`;
      if (piece.kind === 'plain') return piece.text;
      return `[${piece.text}](${piece.target.startsWith('/') ? site : ''}${piece.target})`;
    })
    .join('');

const fenced = (code: string, language: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

/** A vertical bar would end a table's cell, also within code. */
const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(headings), row(headings.map(() => '---')), ...rows.map(row)].join('\n');

function blockIn(block: Block, site: string, level: string): string {
  const inSite = (text: Text): string => textIn(text, site);
  if (typeof block === 'string') {
    const heading = headingOf(block);
    return heading === undefined ? inSite(block) : `${level} ${heading}`;
  }
  if (!('kind' in block)) return block.map((text) => `- ${inSite(text)}`).join('\n');
  switch (block.kind) {
    case 'table':
      return table(
        block.headings,
        block.rows.map((cells) => cells.map(inSite)),
      );
    case 'endpoint':
      return `\`${block.route.method} ${block.route.path}\``;
    case 'status':
      return `**${block.status}** ${inSite(block.text)}`.trim();
    case 'fields':
      return table(
        ['Field', 'Type', 'Description'],
        block.fields.map(({ name, part, type, isRequired, description }) => [
          `\`${name}\`${part === 'body' && isRequired ? ' (required)' : ''}`,
          `\`${type}\``,
          description,
        ]),
      );
    case 'refusals':
      return table(
        ['Status', 'Reason', 'Error'],
        block.refusals.map(({ status, reason, error, note }) => [
          String(status),
          `\`${reason}\``,
          note ? `${error.replace(/\.$/, '')}. ${note}` : error,
        ]),
      );
    case 'calls':
      return block.routes
        .map(({ method, path, summary }) => `- \`${method} ${path.replace(/:(\w+)/g, '{$1}')}\`: ${summary}.`)
        .join('\n');
    case 'prices':
      return '';
  }
}

function sampleIn(sample: Sample): string[] {
  if (sample.kind === 'address') return [fenced(sample.address, '')];
  if (sample.kind === 'code') return [`${sample.label}:`, fenced(sample.code, sample.language)];
  const { label, samples } = sample;
  if (samples === 'later') return [];
  return sampleLanguages.flatMap(({ value, label: language, highlight }) => [
    `${label} in ${language}:`,
    fenced(samples[value], highlight),
  ]);
}

const partIn = ({ text, sample, more = [] }: Part, site: string, level: string): string[] => [
  ...text.map((block) => blockIn(block, site, level)),
  ...(sample ? sampleIn(sample) : []),
  ...more.map((block) => blockIn(block, site, level)),
];

interface Site {
  brand: string;
  /** the dashboard's URL without a final slash */
  site: string;
  apiUrl: string;
}

export const pageOf = (id: string): string => `/docs/${id}.md`;
export const LLMS = '/llms.txt';

const linkTo = ({ id, title }: Chapter, site: string): string => `[${title}](${site}${pageOf(id)})`;

/** A chapter's page. It ends with links to the next chapter and to the list of all. */
export function markdownOf(chapter: Chapter, all: readonly Chapter[], { brand, site }: Site): string {
  const next = all[all.findIndex(({ id }) => id === chapter.id) + 1];
  return `${[
    `# ${brand}: ${chapter.title}`,
    `${chapter.summary}.`,
    ...(chapter.calls ?? []).flatMap(({ name, parts }) => [
      `## ${name}`,
      ...parts.flatMap((part) => partIn(part, site, '###')),
    ]),
    ...chapter.parts.flatMap((part) => partIn(part, site, '##')),
    '---',
    `${next ? `Next: ${linkTo(next, site)}. ` : ''}All chapters: [llms.txt](${site}${LLMS})`,
  ]
    .filter((text) => text !== '')
    .join('\n\n')}\n`;
}

/** The list of chapters in the format of llmstxt.org. */
export const llmsTxt = (all: readonly Chapter[], { brand, site, apiUrl }: Site): string => `# ${brand}

> The API of ${brand} sends one-time passcodes by SMS, voice, email, WhatsApp and Telegram, and verifies them.

The base URL is ${apiUrl}. Every call carries an API key in the \`X-API-Key\` header.

## Docs

${all.map((chapter) => `- ${linkTo(chapter, site)}: ${chapter.summary}`).join('\n')}

## Reference

- [OpenAPI 3.1](${apiUrl}/openapi.json): Every call with its shapes and errors
- [Documentation for people](${site}/docs): The same chapters in the dashboard, which needs a sign-in
`;
