import type { LanguageTexts } from './language-texts.ts';

/** Telugu */
export const te: LanguageTexts = {
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
};
