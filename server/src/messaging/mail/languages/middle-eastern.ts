import type { Language } from '@sixdigit/contract/languages.ts';
import type { LanguageTexts, SpokenTexts } from './language-texts.ts';

export const MIDDLE_EASTERN = {
  /** Arabic */
  ar: {
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
  },
  /** Hebrew */
  he: {
    message: {
      plain: 'קוד האימות שלך הוא: {code}',
      named: 'קוד האימות שלך ב-{brand} הוא: {code}',
      warning: '. אין למסור אותו לאיש',
    },
    mail: {
      subject: 'קוד האימות שלך',
      expiry: 'תוקף הקוד: {duration}.',
      warning: 'אין למסור אותו לאיש.',
      unwanted: 'אם לא ביקשת אותו, אפשר להתעלם מהודעה זו.',
      origin: 'נשלח על ידי {brand} בשם {sender}.',
      questions: 'יש שאלות? אפשר לכתוב אל {address}.',
      misuse: 'לדיווח על שימוש לרעה: {address}.',
    },
  },
  /** Turkish */
  tr: {
    message: {
      plain: 'Doğrulama kodunuz: {code}',
      named: '{brand} doğrulama kodunuz: {code}',
      warning: '. Bu kodu kimseyle paylaşmayın',
    },
    mail: {
      subject: 'Doğrulama kodunuz',
      expiry: 'Kodun geçerlilik süresi: {duration}.',
      warning: 'Kodu hiçbir zaman kimseyle paylaşmayın.',
      unwanted: 'Bu kodu siz istemediyseniz bu e-postayı yok sayabilirsiniz.',
      origin: '{sender} adına {brand} tarafından gönderildi.',
      questions: 'Sorularınız mı var? {address} adresine yazın.',
      misuse: 'Kötüye kullanımı bildirmek için {address} adresine yazın.',
    },
    call: {
      greeting: 'Merhaba.',
      sentence: '{brand} doğrulama kodunuz: {code}.',
      again: 'Tekrar ediyorum: {code}.',
      goodbye: 'Hoşça kalın.',
    },
  },
} satisfies Partial<Record<Language, LanguageTexts | SpokenTexts>>;
