import { callScript } from '@sixdigit/contract/text/call-script.ts';
import { escapeMarkup, headerText } from './layout.ts';

/** The spoken sentence as text: "Your Acme verification code is 1, 2, 3, 4, 5, 6." */
export function voiceSentence(brand: string, code: string): string {
  return `Your ${headerText(brand)} verification code is ${[...code].join(', ')}.`;
}

/** The call in TwiML. The dashboard shows the same script. */
export function verificationTwiml(brand: string, code: string): string {
  const verbs = callScript(headerText(brand), code).map((part) =>
    'say' in part ? `<Say>${escapeMarkup(part.say)}</Say>` : `<Pause length="${part.pause_seconds}"/>`,
  );
  return `<Response>${verbs.join('')}</Response>`;
}
