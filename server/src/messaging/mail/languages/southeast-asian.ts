import type { Language } from '@sixdigit/contract/languages.ts';
import type { LanguageTexts, SpokenTexts } from './language-texts.ts';

export const SOUTHEAST_ASIAN = {
  /** Indonesian */
  id: {
    message: {
      plain: 'Kode verifikasi Anda: {code}',
      named: 'Kode verifikasi {brand} Anda: {code}',
      warning: '. Jangan berikan kepada siapa pun',
    },
    mail: {
      subject: 'Kode verifikasi Anda',
      expiry: 'Kode ini berlaku selama {duration}.',
      warning: 'Jangan pernah membagikannya kepada siapa pun.',
      unwanted: 'Jika Anda tidak memintanya, abaikan email ini.',
      origin: 'Dikirim oleh {brand} atas nama {sender}.',
      questions: 'Ada pertanyaan? Tulis ke {address}.',
      misuse: 'Untuk melaporkan penyalahgunaan, tulis ke {address}.',
    },
    call: {
      greeting: 'Halo.',
      sentence: 'Kode verifikasi {brand} Anda adalah: {code}.',
      again: 'Sekali lagi: {code}.',
      goodbye: 'Sampai jumpa.',
    },
  },
  /** Malay */
  ms: {
    message: {
      plain: 'Kod pengesahan anda: {code}',
      named: 'Kod pengesahan {brand} anda: {code}',
      warning: '. Jangan kongsi dengan sesiapa',
    },
    mail: {
      subject: 'Kod pengesahan anda',
      expiry: 'Kod ini sah selama {duration}.',
      warning: 'Jangan sekali-kali kongsi dengan sesiapa.',
      unwanted: 'Jika anda tidak memintanya, abaikan e-mel ini.',
      origin: 'Dihantar oleh {brand} bagi pihak {sender}.',
      questions: 'Ada soalan? Tulis kepada {address}.',
      misuse: 'Untuk melaporkan penyalahgunaan, tulis kepada {address}.',
    },
  },
  /** Thai */
  th: {
    message: {
      plain: 'รหัสยืนยันของคุณคือ: {code}',
      named: 'รหัสยืนยัน {brand} ของคุณคือ: {code}',
      warning: ' โปรดอย่าบอกรหัสนี้กับใคร',
    },
    mail: {
      subject: 'รหัสยืนยันของคุณ',
      expiry: 'รหัสนี้จะหมดอายุใน {duration}',
      warning: 'อย่าบอกรหัสนี้กับใครเด็ดขาด',
      unwanted: 'หากคุณไม่ได้ขอรหัสนี้ โปรดเพิกเฉยต่ออีเมลนี้',
      origin: 'ส่งโดย {brand} ในนามของ {sender}',
      questions: 'มีคำถามใช่ไหม เขียนถึง {address}',
      misuse: 'แจ้งการใช้งานในทางที่ผิดได้ที่ {address}',
    },
  },
  /** Filipino */
  tl: {
    message: {
      plain: 'Ang verification code mo: {code}',
      named: 'Ang {brand} verification code mo: {code}',
      warning: '. Huwag itong ibahagi kaninuman',
    },
    mail: {
      subject: 'Ang verification code mo',
      expiry: 'Mag-e-expire ang code na ito sa loob ng {duration}.',
      warning: 'Huwag na huwag itong ibahagi kaninuman.',
      unwanted: 'Kung hindi mo ito hiningi, huwag pansinin ang email na ito.',
      origin: 'Ipinadala ng {brand} sa ngalan ng {sender}.',
      questions: 'May tanong? Sumulat sa {address}.',
      misuse: 'Para mag-ulat ng pang-aabuso, sumulat sa {address}.',
    },
  },
  /** Vietnamese */
  vi: {
    message: {
      plain: 'Mã xác minh của bạn: {code}',
      named: 'Mã xác minh {brand} của bạn: {code}',
      warning: '. Không chia sẻ mã này với bất kỳ ai',
    },
    mail: {
      subject: 'Mã xác minh của bạn',
      expiry: 'Mã này hết hạn sau {duration}.',
      warning: 'Tuyệt đối không chia sẻ mã này với bất kỳ ai.',
      unwanted: 'Nếu bạn không yêu cầu, hãy bỏ qua email này.',
      origin: 'Do {brand} gửi thay mặt cho {sender}.',
      questions: 'Có câu hỏi? Hãy viết tới {address}.',
      misuse: 'Để báo cáo hành vi lạm dụng, hãy viết tới {address}.',
    },
    call: {
      greeting: 'Xin chào.',
      sentence: 'Mã xác minh {brand} của bạn là: {code}.',
      again: 'Xin nhắc lại: {code}.',
      goodbye: 'Tạm biệt.',
    },
  },
} satisfies Partial<Record<Language, LanguageTexts | SpokenTexts>>;
