import type { SpokenTexts } from './language-texts.ts';

/** Vietnamese */
export const vi: SpokenTexts = {
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
};
