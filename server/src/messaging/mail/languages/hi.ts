import type { SpokenTexts } from './language-texts.ts';

/** Hindi */
export const hi: SpokenTexts = {
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
};
