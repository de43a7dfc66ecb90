/**
 * What a country demands of a sender before it delivers codes. Only what documents of message companies say, or what is marked as
 * read elsewhere; a country that is not in the table may have rules too.
 */
export interface SenderRule {
  /** Whether its networks deliver messages from a name such as Acme. */
  names: 'refused' | 'registered';
  /** In plain words, for an operator. */
  needs: string;
  /** Whether it was read in a company's document, or only elsewhere. */
  from: 'document' | 'elsewhere';
}

const refused = (needs: string): SenderRule => ({ names: 'refused', needs, from: 'document' });
const REGISTER = 'Register the sender name through your message company before the first message.';
const registered = (needs: string = REGISTER, from: SenderRule['from'] = 'document'): SenderRule => ({
  names: 'registered',
  needs,
  from,
});

export const SENDER_RULES: Readonly<Record<string, SenderRule>> = {
  US: refused(
    'Send from a number, not from a name. Register a local number for 10DLC (a brand and a campaign) or verify a toll-free number at your message company. Unregistered numbers are blocked.',
  ),
  CA: refused('Send from a number, not from a name.'),
  PR: refused('Send from a number, not from a name.'),
  CN: refused('Names are not delivered. Your message company registers the text of the message first.'),
  IN: registered(
    'Register your company, the sender name and the text with a network’s DLT portal. Then enter the ids in a template: messages without them are blocked.',
  ),
  SG: registered(
    'Register the sender name with SGNIC, which needs a company in Singapore. Other names are replaced with “Likely-SCAM”.',
  ),
  AU: registered(),
  BY: registered(),
  EG: registered(),
  FI: registered(),
  ID: registered(),
  IE: registered(),
  JO: registered(),
  KE: registered(),
  KW: registered(),
  KZ: registered(),
  LK: registered(),
  PH: registered(),
  QA: registered(),
  RU: registered(),
  SA: registered(),
  TH: registered(),
  AE: registered(REGISTER, 'elsewhere'),
  TR: registered(REGISTER, 'elsewhere'),
  VN: registered(REGISTER, 'elsewhere'),
};
