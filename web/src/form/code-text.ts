import { codeText } from '@sixdigit/contract/text/digits.ts';

export const CODE_LENGTH = 6;

/** The code in the field after an edit, from the text that the browser made of it. A whole code replaces the digits before it. */
export function editedCode(before: string, text: string): string {
  const code = codeText(text);
  const start = code.length >= before.length + CODE_LENGTH ? before.length : 0;
  return code.slice(start, start + CODE_LENGTH);
}
