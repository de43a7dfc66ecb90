import type { LanguageTexts } from './language-texts.ts';

/** Kannada */
export const kn: LanguageTexts = {
  message: {
    plain: 'ನಿಮ್ಮ ಪರಿಶೀಲನಾ ಕೋಡ್: {code}',
    named: 'ನಿಮ್ಮ {brand} ಪರಿಶೀಲನಾ ಕೋಡ್: {code}',
    warning: '. ಇದನ್ನು ಯಾರೊಂದಿಗೂ ಹಂಚಿಕೊಳ್ಳಬೇಡಿ',
  },
  mail: {
    subject: 'ನಿಮ್ಮ ಪರಿಶೀಲನಾ ಕೋಡ್',
    expiry: 'ಕೋಡ್ ಮಾನ್ಯವಾಗಿರುವ ಅವಧಿ: {duration}.',
    warning: 'ಇದನ್ನು ಎಂದಿಗೂ ಯಾರೊಂದಿಗೂ ಹಂಚಿಕೊಳ್ಳಬೇಡಿ.',
    unwanted: 'ನೀವು ಇದನ್ನು ಕೇಳಿರದಿದ್ದರೆ, ಈ ಇಮೇಲ್ ಅನ್ನು ನಿರ್ಲಕ್ಷಿಸಬಹುದು.',
    origin: '{sender} ಪರವಾಗಿ {brand} ಕಳುಹಿಸಿದೆ.',
    questions: 'ಪ್ರಶ್ನೆಗಳಿವೆಯೇ? {address} ಗೆ ಬರೆಯಿರಿ.',
    misuse: 'ದುರ್ಬಳಕೆಯನ್ನು ವರದಿ ಮಾಡಲು {address} ಗೆ ಬರೆಯಿರಿ.',
  },
};
