import type { SpokenTexts } from './language-texts.ts';

/** Arabic */
export const ar: SpokenTexts = {
  message: {
    plain: 'رمز التحقق الخاص بك هو: {code}',
    named: 'رمز التحقق الخاص بك في {brand} هو: {code}',
    warning: '. لا تشاركه مع أي شخص',
  },
  mail: {
    subject: 'رمز التحقق الخاص بك',
    expiry: 'مدة صلاحية الرمز: {duration}.',
    warning: 'لا تشاركه مع أي شخص أبدًا.',
    unwanted: 'إذا لم تطلبه، فيمكنك تجاهل هذه الرسالة.',
    origin: 'مُرسَل من {brand} نيابةً عن {sender}.',
    questions: 'هل لديك أسئلة؟ راسلنا على {address}.',
    misuse: 'للإبلاغ عن إساءة الاستخدام، راسلنا على {address}.',
  },
  call: {
    greeting: 'مرحبًا.',
    sentence: 'رمز التحقق الخاص بك في {brand} هو: {code}.',
    again: 'مرة أخرى: {code}.',
    goodbye: 'مع السلامة.',
  },
};
