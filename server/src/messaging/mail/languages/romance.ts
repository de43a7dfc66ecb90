import type { Language } from '@sixdigit/contract/languages.ts';
import type { LanguageTexts, SpokenTexts } from './language-texts.ts';

export const ROMANCE = {
  /** Catalan */
  ca: {
    message: {
      plain: 'El teu codi és: {code}',
      named: 'El teu codi de {brand} és: {code}',
      warning: '. No el comparteixis amb ningú',
    },
    mail: {
      subject: 'El teu codi de verificació',
      expiry: 'Aquest codi caduca d’aquí a {duration}.',
      warning: 'No el comparteixis mai amb ningú.',
      unwanted: 'Si no l’has demanat, pots ignorar aquest missatge.',
      origin: 'Enviat per {brand} en nom de {sender}.',
      questions: 'Tens preguntes? Escriu a {address}.',
      misuse: 'Per denunciar un ús indegut, escriu a {address}.',
    },
  },
  /** Spanish */
  es: {
    message: {
      plain: 'Tu código de verificación es: {code}',
      named: 'Tu código de {brand} es: {code}',
      warning: '. No lo compartas con nadie',
    },
    mail: {
      subject: 'Tu código de verificación',
      expiry: 'Este código caduca en {duration}.',
      warning: 'No lo compartas nunca con nadie.',
      unwanted: 'Si no lo has pedido, puedes ignorar este correo.',
      origin: 'Enviado por {brand} en nombre de {sender}.',
      questions: '¿Preguntas? Escribe a {address}.',
      misuse: 'Para denunciar un uso indebido, escribe a {address}.',
    },
    call: {
      greeting: 'Hola.',
      sentence: 'Tu código de verificación de {brand} es: {code}.',
      again: 'Otra vez: {code}.',
      goodbye: 'Adiós.',
    },
  },
  /** French */
  fr: {
    message: {
      plain: 'Votre code de vérification est : {code}',
      named: 'Votre code de vérification {brand} est : {code}',
      warning: '. Ne le communiquez à personne',
    },
    mail: {
      subject: 'Votre code de vérification',
      expiry: 'Ce code expire dans {duration}.',
      warning: 'Ne le communiquez jamais à personne.',
      unwanted: 'Si vous ne l’avez pas demandé, vous pouvez ignorer cet e-mail.',
      origin: 'Envoyé par {brand} pour le compte de {sender}.',
      questions: 'Des questions ? Écrivez à {address}.',
      misuse: 'Pour signaler un abus, écrivez à {address}.',
    },
    call: {
      greeting: 'Bonjour.',
      sentence: 'Votre code de vérification {brand} est : {code}.',
      again: 'Je répète : {code}.',
      goodbye: 'Au revoir.',
    },
  },
  /** Italian */
  it: {
    message: {
      plain: 'Il tuo codice di verifica è: {code}',
      named: 'Il tuo codice di verifica {brand} è: {code}',
      warning: '. Non comunicarlo a nessuno',
    },
    mail: {
      subject: 'Il tuo codice di verifica',
      expiry: 'Questo codice scade tra {duration}.',
      warning: 'Non comunicarlo mai a nessuno.',
      unwanted: 'Se non lo hai richiesto, puoi ignorare questa email.',
      origin: 'Inviato da {brand} per conto di {sender}.',
      questions: 'Domande? Scrivi a {address}.',
      misuse: 'Per segnalare un abuso, scrivi a {address}.',
    },
    call: {
      greeting: 'Buongiorno.',
      sentence: 'Il tuo codice di verifica {brand} è: {code}.',
      again: 'Ripeto: {code}.',
      goodbye: 'Arrivederci.',
    },
  },
  /** Portuguese */
  pt: {
    message: {
      plain: 'O seu código de verificação é: {code}',
      named: 'O seu código para {brand} é: {code}',
      warning: '. Não o revele a ninguém',
    },
    mail: {
      subject: 'O seu código de verificação',
      expiry: 'Este código expira dentro de {duration}.',
      warning: 'Nunca o revele a ninguém.',
      unwanted: 'Se não o pediu, pode ignorar este e-mail.',
      origin: 'Enviado por {brand} em nome de {sender}.',
      questions: 'Dúvidas? Escreva para {address}.',
      misuse: 'Para denunciar uma utilização indevida, escreva para {address}.',
    },
    call: {
      greeting: 'Olá.',
      sentence: 'O seu código de verificação para {brand} é: {code}.',
      again: 'Mais uma vez: {code}.',
      goodbye: 'Adeus.',
    },
  },
  /** Brazilian Portuguese */
  'pt-BR': {
    message: {
      plain: 'Seu código de verificação é: {code}',
      named: 'Seu código para {brand} é: {code}',
      warning: '. Não o compartilhe com ninguém',
    },
    mail: {
      subject: 'Seu código de verificação',
      expiry: 'Este código expira em {duration}.',
      warning: 'Nunca o compartilhe com ninguém.',
      unwanted: 'Se você não o solicitou, ignore este e-mail.',
      origin: 'Enviado por {brand} em nome de {sender}.',
      questions: 'Dúvidas? Escreva para {address}.',
      misuse: 'Para denunciar uso indevido, escreva para {address}.',
    },
    call: {
      greeting: 'Olá.',
      sentence: 'Seu código de verificação para {brand} é: {code}.',
      again: 'Mais uma vez: {code}.',
      goodbye: 'Até logo.',
    },
  },
  /** Romanian */
  ro: {
    message: {
      plain: 'Cod de verificare: {code}',
      named: 'Cod de verificare {brand}: {code}',
      warning: '. Nu îl divulga nimănui',
    },
    mail: {
      subject: 'Codul tău de verificare',
      expiry: 'Codul expiră în {duration}.',
      warning: 'Nu îl divulga niciodată nimănui.',
      unwanted: 'Dacă nu l-ai cerut, poți ignora acest e-mail.',
      origin: 'Trimis de {brand} în numele {sender}.',
      questions: 'Ai întrebări? Scrie la {address}.',
      misuse: 'Pentru a raporta un abuz, scrie la {address}.',
    },
  },
} satisfies Partial<Record<Language, LanguageTexts | SpokenTexts>>;
