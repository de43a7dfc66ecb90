/**
 * The texts of one language. A native speaker can correct its entry without knowing the code. Words in braces are filled in; each
 * text has those that its English one has.
 */
export interface LanguageTexts {
  /** Of SMS and e-mails. Both sentences end with `{code}`, because the box of an e-mail takes its place there. */
  message: {
    plain: string;
    named: string;
    /** Follows the code of an SMS. */
    warning: string;
  };
  /** Of e-mails. A number in the middle of a sentence may need another case, so some expiries read "valid for: 5 minutes". */
  mail: {
    subject: string;
    expiry: string;
    warning: string;
    unwanted: string;
    /** If the service sends for a customer with another name. */
    origin: string;
    questions: string;
    misuse: string;
  };
  call?: CallTexts;
}

/** Of calls, in the order in which they are spoken. `{code}` becomes single digits, which the voice reads in its language. */
interface CallTexts {
  greeting: string;
  sentence: string;
  again: string;
  goodbye: string;
}

export interface SpokenTexts extends LanguageTexts {
  call: CallTexts;
}
