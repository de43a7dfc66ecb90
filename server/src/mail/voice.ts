import { escapeMarkup, headerText } from './escape.ts';

/** The spoken sentence as text: "Your Acme verification code is 1, 2, 3, 4, 5, 6." */
export function voiceSentence(brand: string, code: string): string {
  return `Your ${headerText(brand)} verification code is ${[...code].join(', ')}.`;
}

/** The call in TwiML: the sentence once, then the digits three times with pauses. */
export function verificationTwiml(brand: string, code: string): string {
  const digits = `${[...code].map(escapeMarkup).join(', ')}.`;
  const first = `<Say>${escapeMarkup(`Your ${headerText(brand)} verification code is`)}: ${digits}</Say>`;
  const again = `<Pause length="1"/><Say>Once more: ${digits}</Say>`;
  return `<Response><Pause length="1"/>${first}${again}${again}<Pause length="1"/><Say>Goodbye.</Say></Response>`;
}
