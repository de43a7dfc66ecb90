/** The text of an SMS: the template with every `{code}` filled in. */
export function renderSms(template: string, code: string): string {
  return template.replaceAll('{code}', () => code);
}

/** Characters as people count them, not UTF-16 units: an emoji is one. */
export function smsLength(text: string): number {
  return [...text].length;
}

/** Two or three parts at the networks; what is longer is refused before it is charged. */
export const smsLimit = 320;
