import { DEFAULT_MESSAGE, DEFAULT_SUBJECT } from '@sixdigit/contract/code-message.ts';
import type { Language } from '@sixdigit/contract/languages.ts';

interface Texts {
  /** with the name of the sender */
  named: string;
  /** without a name */
  plain: string;
  /** appended to both */
  warning: string;
  /** of e-mails */
  subject: string;
}

/**
 * The texts in each language. They end with the code, because the box of an e-mail takes its place there. With a name of 32
 * characters and a code of 10, an SMS fits one segment, or two with everything that can be added. Outside GSM-7, these have 70
 * and 134 characters.
 */
const TEXTS: Record<Language, Texts> = {
  en: {
    named: 'Your {name} verification code is: {code}',
    plain: DEFAULT_MESSAGE,
    warning: ". Don't share this code with anyone; our employees will never ask for the code",
    subject: DEFAULT_SUBJECT,
  },
  ar: {
    named: 'رمز التحقق الخاص بك في {name} هو: {code}',
    plain: 'رمز التحقق الخاص بك هو: {code}',
    warning: '. لا تشاركه مع أي شخص',
    subject: 'رمز التحقق الخاص بك',
  },
  cs: {
    named: 'Váš ověřovací kód pro {name}: {code}',
    plain: 'Váš ověřovací kód: {code}',
    warning: '. Nikomu ho nesdělujte',
    subject: 'Váš ověřovací kód',
  },
  da: {
    named: 'Din bekræftelseskode til {name} er: {code}',
    plain: 'Din bekræftelseskode er: {code}',
    warning: '. Del den ikke med nogen',
    subject: 'Din bekræftelseskode',
  },
  de: {
    named: 'Ihr Bestätigungscode für {name} lautet: {code}',
    plain: 'Ihr Bestätigungscode lautet: {code}',
    warning: '. Geben Sie ihn an niemanden weiter',
    subject: 'Ihr Bestätigungscode',
  },
  es: {
    named: 'Tu código de {name} es: {code}',
    plain: 'Tu código de verificación es: {code}',
    warning: '. No lo compartas con nadie',
    subject: 'Tu código de verificación',
  },
  fi: {
    named: 'Vahvistuskoodisi palveluun {name}: {code}',
    plain: 'Vahvistuskoodisi: {code}',
    warning: '. Älä kerro sitä kenellekään',
    subject: 'Vahvistuskoodisi',
  },
  fr: {
    named: 'Votre code de vérification {name} est : {code}',
    plain: 'Votre code de vérification est : {code}',
    warning: '. Ne le communiquez à personne',
    subject: 'Votre code de vérification',
  },
  hi: {
    named: 'आपका {name} सत्यापन कोड है: {code}',
    plain: 'आपका सत्यापन कोड है: {code}',
    warning: '। इसे किसी के साथ साझा न करें',
    subject: 'आपका सत्यापन कोड',
  },
  id: {
    named: 'Kode verifikasi {name} Anda: {code}',
    plain: 'Kode verifikasi Anda: {code}',
    warning: '. Jangan berikan kepada siapa pun',
    subject: 'Kode verifikasi Anda',
  },
  it: {
    named: 'Il tuo codice di verifica {name} è: {code}',
    plain: 'Il tuo codice di verifica è: {code}',
    warning: '. Non comunicarlo a nessuno',
    subject: 'Il tuo codice di verifica',
  },
  ja: {
    named: '{name}の認証コード：{code}',
    plain: '認証コード：{code}',
    warning: '。このコードを他の人に教えないでください',
    subject: '認証コード',
  },
  ko: {
    named: '{name} 인증번호: {code}',
    plain: '인증번호: {code}',
    warning: '. 다른 사람에게 알려주지 마세요',
    subject: '인증번호',
  },
  nb: {
    named: 'Bekreftelseskoden din for {name} er: {code}',
    plain: 'Bekreftelseskoden din er: {code}',
    warning: '. Ikke del den med noen',
    subject: 'Bekreftelseskoden din',
  },
  nl: {
    named: 'Je verificatiecode voor {name} is: {code}',
    plain: 'Je verificatiecode is: {code}',
    warning: '. Deel deze code met niemand',
    subject: 'Je verificatiecode',
  },
  pl: {
    named: 'Kod weryfikacyjny {name}: {code}',
    plain: 'Kod weryfikacyjny: {code}',
    warning: '. Nikomu go nie podawaj',
    subject: 'Twój kod weryfikacyjny',
  },
  pt: {
    named: 'O seu código para {name} é: {code}',
    plain: 'O seu código de verificação é: {code}',
    warning: '. Não o revele a ninguém',
    subject: 'O seu código de verificação',
  },
  ru: {
    named: 'Ваш код для {name}: {code}',
    plain: 'Ваш код подтверждения: {code}',
    warning: '. Никому его не сообщайте',
    subject: 'Ваш код подтверждения',
  },
  sv: {
    named: 'Din verifieringskod för {name} är: {code}',
    plain: 'Din verifieringskod är: {code}',
    warning: '. Dela den inte med någon',
    subject: 'Din verifieringskod',
  },
  tr: {
    named: '{name} doğrulama kodunuz: {code}',
    plain: 'Doğrulama kodunuz: {code}',
    warning: '. Bu kodu kimseyle paylaşmayın',
    subject: 'Doğrulama kodunuz',
  },
  uk: {
    named: 'Ваш код для {name}: {code}',
    plain: 'Ваш код підтвердження: {code}',
    warning: '. Нікому його не повідомляйте',
    subject: 'Ваш код підтвердження',
  },
  vi: {
    named: 'Mã xác minh {name} của bạn: {code}',
    plain: 'Mã xác minh của bạn: {code}',
    warning: '. Không chia sẻ mã này với bất kỳ ai',
    subject: 'Mã xác minh của bạn',
  },
  zh: {
    named: '您的{name}验证码是：{code}',
    plain: '您的验证码是：{code}',
    warning: '。请勿将验证码告知他人',
    subject: '您的验证码',
  },
  'zh-Hant': {
    named: '您的{name}驗證碼是：{code}',
    plain: '您的驗證碼是：{code}',
    warning: '。請勿將驗證碼告知他人',
    subject: '您的驗證碼',
  },
};

/** The text of an SMS or an e-mail, with `{code}`. */
export function codeText(
  language: Language,
  { name, isWarned = false }: { name?: string; isWarned?: boolean } = {},
): string {
  const { named, plain, warning } = TEXTS[language];
  const sentence = name === undefined ? plain : named.replace('{name}', () => name);
  return isWarned ? sentence + warning : sentence;
}

/** The subject of an e-mail with a code. */
export const codeSubject = (language: Language): string => TEXTS[language].subject;
