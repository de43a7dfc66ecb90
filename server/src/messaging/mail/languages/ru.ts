import type { SpokenTexts } from './language-texts.ts';

/** Russian */
export const ru: SpokenTexts = {
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
};
