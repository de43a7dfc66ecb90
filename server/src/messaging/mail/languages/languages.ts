import type { CallLanguage, Language } from '@sixdigit/contract/languages.ts';
import { BALTO_SLAVIC } from './balto-slavic.ts';
import { EAST_ASIAN } from './east-asian.ts';
import { GERMANIC } from './germanic.ts';
import { INDIAN } from './indian.ts';
import type { LanguageTexts, SpokenTexts } from './language-texts.ts';
import { MIDDLE_EASTERN } from './middle-eastern.ts';
import { OTHER_EUROPEAN } from './other-european.ts';
import { ROMANCE } from './romance.ts';
import { SOUTHEAST_ASIAN } from './southeast-asian.ts';

/** The texts of every language. */
export const TEXTS: { [L in Language]: L extends CallLanguage ? SpokenTexts : LanguageTexts } = {
  ...BALTO_SLAVIC,
  ...EAST_ASIAN,
  ...GERMANIC,
  ...INDIAN,
  ...MIDDLE_EASTERN,
  ...OTHER_EUROPEAN,
  ...ROMANCE,
  ...SOUTHEAST_ASIAN,
};
