import type { SpokenTexts } from './language-texts.ts';

/** Ukrainian */
export const uk: SpokenTexts = {
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
};
