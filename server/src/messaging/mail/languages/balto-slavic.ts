import type { Language } from '@sixdigit/contract/languages.ts';
import type { LanguageTexts, SpokenTexts } from './language-texts.ts';

export const BALTO_SLAVIC = {
  /** Czech */
  cs: {
    message: {
      plain: 'Váš ověřovací kód: {code}',
      named: 'Váš ověřovací kód pro {brand}: {code}',
      warning: '. Nikomu ho nesdělujte',
    },
    mail: {
      subject: 'Váš ověřovací kód',
      expiry: 'Platnost kódu: {duration}.',
      warning: 'Nikdy ho nikomu nesdělujte.',
      unwanted: 'Pokud jste o něj nežádali, můžete tento e-mail ignorovat.',
      origin: 'Odesláno službou {brand} jménem {sender}.',
      questions: 'Máte dotazy? Napište na {address}.',
      misuse: 'Zneužití můžete nahlásit na adrese {address}.',
    },
    call: {
      greeting: 'Dobrý den.',
      sentence: 'Váš ověřovací kód pro {brand} je: {code}.',
      again: 'Ještě jednou: {code}.',
      goodbye: 'Na shledanou.',
    },
  },
  /** Croatian */
  hr: {
    message: {
      plain: 'Verifikacijski kod: {code}',
      named: 'Verifikacijski kod za {brand}: {code}',
      warning: '. Nemojte ga dijeliti ni s kim',
    },
    mail: {
      subject: 'Vaš verifikacijski kod',
      expiry: 'Valjanost koda: {duration}.',
      warning: 'Nemojte ga nikada dijeliti ni s kim.',
      unwanted: 'Ako ga niste zatražili, zanemarite ovu poruku.',
      origin: 'Poslano putem usluge {brand} u ime: {sender}.',
      questions: 'Imate pitanja? Pišite na {address}.',
      misuse: 'Za prijavu zlouporabe pišite na {address}.',
    },
  },
  /** Lithuanian */
  lt: {
    message: {
      plain: 'Patvirtinimo kodas: {code}',
      named: '{brand} patvirtinimo kodas: {code}',
      warning: '. Niekam jo nesakykite',
    },
    mail: {
      subject: 'Jūsų patvirtinimo kodas',
      expiry: 'Kodo galiojimo trukmė: {duration}.',
      warning: 'Niekada niekam jo nesakykite.',
      unwanted: 'Jei jo neprašėte, galite nekreipti dėmesio į šį laišką.',
      origin: 'Išsiuntė {brand} {sender} vardu.',
      questions: 'Turite klausimų? Rašykite {address}.',
      misuse: 'Apie piktnaudžiavimą praneškite {address}.',
    },
  },
  /** Polish */
  pl: {
    message: {
      plain: 'Kod weryfikacyjny: {code}',
      named: 'Kod weryfikacyjny {brand}: {code}',
      warning: '. Nikomu go nie podawaj',
    },
    mail: {
      subject: 'Twój kod weryfikacyjny',
      expiry: 'Ważność kodu: {duration}.',
      warning: 'Nigdy nikomu go nie podawaj.',
      unwanted: 'Jeśli to nie Ty o niego prosisz, zignoruj tę wiadomość.',
      origin: 'Wysłane przez {brand} w imieniu {sender}.',
      questions: 'Masz pytania? Napisz na adres {address}.',
      misuse: 'Aby zgłosić nadużycie, napisz na adres {address}.',
    },
    call: {
      greeting: 'Dzień dobry.',
      sentence: 'Twój kod weryfikacyjny {brand} to: {code}.',
      again: 'Jeszcze raz: {code}.',
      goodbye: 'Do widzenia.',
    },
  },
  /** Russian */
  ru: {
    message: {
      plain: 'Ваш код подтверждения: {code}',
      named: 'Ваш код для {brand}: {code}',
      warning: '. Никому его не сообщайте',
    },
    mail: {
      subject: 'Ваш код подтверждения',
      expiry: 'Срок действия кода: {duration}.',
      warning: 'Никогда никому его не сообщайте.',
      unwanted: 'Если вы не запрашивали код, проигнорируйте это письмо.',
      origin: 'Отправлено сервисом {brand} от имени {sender}.',
      questions: 'Есть вопросы? Пишите на {address}.',
      misuse: 'О злоупотреблениях сообщайте на {address}.',
    },
    call: {
      greeting: 'Здравствуйте.',
      sentence: 'Ваш код подтверждения для {brand}: {code}.',
      again: 'Ещё раз: {code}.',
      goodbye: 'До свидания.',
    },
  },
  /** Ukrainian */
  uk: {
    message: {
      plain: 'Ваш код підтвердження: {code}',
      named: 'Ваш код для {brand}: {code}',
      warning: '. Нікому його не повідомляйте',
    },
    mail: {
      subject: 'Ваш код підтвердження',
      expiry: 'Термін дії коду: {duration}.',
      warning: 'Ніколи нікому його не повідомляйте.',
      unwanted: 'Якщо ви не запитували код, не звертайте уваги на цей лист.',
      origin: 'Надіслано сервісом {brand} від імені {sender}.',
      questions: 'Маєте запитання? Пишіть на {address}.',
      misuse: 'Про зловживання повідомляйте на {address}.',
    },
    call: {
      greeting: 'Вітаємо.',
      sentence: 'Ваш код підтвердження для {brand}: {code}.',
      again: 'Ще раз: {code}.',
      goodbye: 'До побачення.',
    },
  },
} satisfies Partial<Record<Language, LanguageTexts | SpokenTexts>>;
