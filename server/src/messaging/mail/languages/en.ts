import type { SpokenTexts } from './language-texts.ts';

/** English */
export const en: SpokenTexts = {
  message: {
    plain: 'Your verification code is: {code}',
    named: 'Your {brand} verification code is: {code}',
    warning: ". Don't share this code with anyone; our employees will never ask for the code",
  },
  mail: {
    subject: 'Your Verification Code',
    expiry: 'This code expires in {duration}.',
    warning: 'Never share it with anyone.',
    unwanted: 'If you did not ask for it, you can ignore this email.',
    origin: 'Sent by {brand} on behalf of {sender}.',
    questions: 'Questions? Write to {address}.',
    misuse: 'To report misuse, write to {address}.',
  },
  call: {
    greeting: 'Hello.',
    sentence: 'Your {brand} verification code is: {code}.',
    again: 'Once more: {code}.',
    goodbye: 'Goodbye.',
  },
};
