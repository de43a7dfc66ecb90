import hljs from 'highlight.js/lib/core';

const grammars = {
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
};
type Highlighted = keyof typeof grammars;
export type Language = Highlighted | 'bash';

/** Returns HTML with escaped text and classes for syntax. */
export async function highlight(code: string, language: Highlighted): Promise<string> {
  if (!hljs.getLanguage(language)) hljs.registerLanguage(language, (await grammars[language]()).default);
  return hljs.highlight(code, { language }).value;
}
