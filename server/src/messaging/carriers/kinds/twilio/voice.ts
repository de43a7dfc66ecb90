import type { CallLanguage } from '@sixdigit/contract/languages.ts';
import type { CallPart } from '@sixdigit/contract/text/call-script.ts';
import { escapeMarkup } from '../../../mail/mail.ts';

/** Twilio's names of a language and of a voice that speaks it. Without them, Twilio's default voice speaks English. */
const VOICES: Record<Exclude<CallLanguage, 'en'>, readonly [language: string, voice: string]> = {
  ar: ['arb', 'Polly.Zeina'],
  cs: ['cs-CZ', 'Google.cs-CZ-Standard-A'],
  da: ['da-DK', 'Polly.Naja'],
  de: ['de-DE', 'Polly.Vicki'],
  es: ['es-ES', 'Polly.Lucia'],
  fi: ['fi-FI', 'Polly.Suvi-Neural'],
  fr: ['fr-FR', 'Polly.Lea'],
  hi: ['hi-IN', 'Polly.Aditi'],
  id: ['id-ID', 'Google.id-ID-Standard-A'],
  it: ['it-IT', 'Polly.Bianca'],
  ja: ['ja-JP', 'Polly.Mizuki'],
  ko: ['ko-KR', 'Polly.Seoyeon'],
  nb: ['nb-NO', 'Polly.Liv'],
  nl: ['nl-NL', 'Polly.Lotte'],
  pl: ['pl-PL', 'Polly.Ewa'],
  pt: ['pt-PT', 'Polly.Ines'],
  'pt-BR': ['pt-BR', 'Polly.Camila'],
  ru: ['ru-RU', 'Polly.Tatyana'],
  sv: ['sv-SE', 'Polly.Astrid'],
  tr: ['tr-TR', 'Polly.Filiz'],
  uk: ['uk-UA', 'Google.uk-UA-Standard-A'],
  vi: ['vi-VN', 'Google.vi-VN-Standard-A'],
  zh: ['cmn-CN', 'Polly.Zhiyu'],
  'zh-Hant': ['cmn-TW', 'Google.cmn-TW-Standard-A'],
};

/** A call in TwiML. The dashboard shows the same script. */
export function twimlOf(script: readonly CallPart[], language: string | undefined): string {
  const named = language !== undefined && Object.hasOwn(VOICES, language);
  const [tag, voice] = named ? VOICES[language as keyof typeof VOICES] : [];
  const say = tag === undefined ? '<Say>' : `<Say language="${tag}" voice="${voice}">`;
  const verbs = script.map((part) =>
    'say' in part ? `${say}${escapeMarkup(part.say)}</Say>` : `<Pause length="${part.pause_seconds}"/>`,
  );
  return `<Response>${verbs.join('')}</Response>`;
}
