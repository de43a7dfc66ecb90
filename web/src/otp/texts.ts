import { factsOf } from '@sixdigit/contract/channels.ts';
import type { VerificationDetail } from '@sixdigit/contract/verifications.ts';
import { languageName } from '../ui/display-names.ts';

type Sent = Pick<VerificationDetail, 'channel' | 'language' | 'locale' | 'template'>;

/** 'German, requested: de-AT' */
export const languageText = ({ language, locale }: Sent): string =>
  [
    ...(language === null ? [] : [languageName(language)]),
    ...(locale === null || locale === language ? [] : [`requested: ${locale}`]),
  ].join(', ');

/** Whether the stored text is Sixdigit's, in a language or with a line for autofill. A call speaks ours, whatever is stored. */
export const isOurText = ({ channel, language, template }: Sent): boolean =>
  language !== null && template === null && factsOf(channel).format !== 'speech';
