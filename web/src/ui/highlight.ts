import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';

const languages = { bash, javascript, json, php, python };
export type Language = keyof typeof languages;
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** HTML with the text escaped and its parts in classes. */
export const highlight = (code: string, language: Language): string =>
  hljs.highlight(code, { language }).value;
