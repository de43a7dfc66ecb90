import type { SpokenTexts } from './language-texts.ts';

/** Korean */
export const ko: SpokenTexts = {
  message: {
    plain: '인증번호: {code}',
    named: '{brand} 인증번호: {code}',
    warning: '. 다른 사람에게 알려주지 마세요',
  },
  mail: {
    subject: '인증번호',
    expiry: '인증번호 유효 시간: {duration}.',
    warning: '다른 사람에게 절대 알려주지 마세요.',
    unwanted: '요청하지 않으셨다면 이 메일을 무시하셔도 됩니다.',
    origin: '{sender}의 요청으로 {brand}에서 보냈습니다.',
    questions: '문의: {address}',
    misuse: '오남용 신고: {address}',
  },
  call: {
    greeting: '안녕하세요.',
    sentence: '{brand} 인증번호를 알려드립니다. {code}.',
    again: '다시 알려드립니다. {code}.',
    goodbye: '감사합니다.',
  },
};
