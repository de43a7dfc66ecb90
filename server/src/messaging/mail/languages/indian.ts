import type { Language } from '@sixdigit/contract/languages.ts';
import type { LanguageTexts, SpokenTexts } from './language-texts.ts';

export const INDIAN = {
  /** Hindi */
  hi: {
    message: {
      plain: 'आपका सत्यापन कोड है: {code}',
      named: 'आपका {brand} सत्यापन कोड है: {code}',
      warning: '। इसे किसी के साथ साझा न करें',
    },
    mail: {
      subject: 'आपका सत्यापन कोड',
      expiry: 'कोड की वैधता: {duration}।',
      warning: 'इसे कभी किसी के साथ साझा न करें।',
      unwanted: 'अगर आपने इसे नहीं माँगा है, तो इस ईमेल को अनदेखा कर सकते हैं।',
      origin: '{sender} की ओर से {brand} द्वारा भेजा गया।',
      questions: 'कोई सवाल? {address} पर लिखें।',
      misuse: 'दुरुपयोग की सूचना देने के लिए {address} पर लिखें।',
    },
    call: {
      greeting: 'नमस्ते।',
      sentence: 'आपका {brand} सत्यापन कोड है: {code}।',
      again: 'एक बार फिर: {code}।',
      goodbye: 'धन्यवाद।',
    },
  },
  /** Kannada */
  kn: {
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
  },
  /** Marathi */
  mr: {
    message: {
      plain: 'तुमचा पडताळणी कोड: {code}',
      named: 'तुमचा {brand} पडताळणी कोड: {code}',
      warning: '. तो कोणालाही सांगू नका',
    },
    mail: {
      subject: 'तुमचा पडताळणी कोड',
      expiry: 'कोडची वैधता: {duration}.',
      warning: 'तो कधीही कोणालाही सांगू नका.',
      unwanted: 'तुम्ही तो मागितला नसेल, तर या ईमेलकडे दुर्लक्ष करा.',
      origin: '{sender} यांच्या वतीने {brand} ने पाठवले.',
      questions: 'प्रश्न आहेत? {address} वर लिहा.',
      misuse: 'गैरवापर कळवण्यासाठी {address} वर लिहा.',
    },
  },
  /** Telugu */
  te: {
    message: {
      plain: 'మీ ధృవీకరణ కోడ్: {code}',
      named: 'మీ {brand} ధృవీకరణ కోడ్: {code}',
      warning: '. దీన్ని ఎవరితోనూ పంచుకోవద్దు',
    },
    mail: {
      subject: 'మీ ధృవీకరణ కోడ్',
      expiry: 'కోడ్ చెల్లుబాటు వ్యవధి: {duration}.',
      warning: 'దీన్ని ఎప్పుడూ ఎవరితోనూ పంచుకోవద్దు.',
      unwanted: 'మీరు దీన్ని అడగకపోతే, ఈ ఇమెయిల్‌ను పట్టించుకోకండి.',
      origin: '{sender} తరఫున {brand} పంపింది.',
      questions: 'ప్రశ్నలు ఉన్నాయా? {address} కు వ్రాయండి.',
      misuse: 'దుర్వినియోగాన్ని తెలియజేయడానికి {address} కు వ్రాయండి.',
    },
  },
} satisfies Partial<Record<Language, LanguageTexts | SpokenTexts>>;
