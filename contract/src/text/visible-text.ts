/** Scripts whose letters take another form next to a joiner, as in Persian, Hindi or Sinhala names. */
const JOINING = 'ArabSyrcNkooDevaBengGuruGujrOryaTamlTeluKndaMlymSinhMymr'.replace(/..../g, '\\p{scx=$&}');
const EMOJI = String.raw`[\p{ExtPict}\u{1f9b0}-\u{1f9b3}][\ufe0e\ufe0f]?\p{EMod}?`;

/** Characters that are invisible alone and change the character before them: part of real names and emoji. */
const MEANINGFUL = new RegExp(
  [
    // one joiner within a word, or after the virama at its end
    String.raw`(?=[\p{L}\p{M}\p{N}])[${JOINING}][\u200c\u200d](?=[${JOINING}])|(?=[${JOINING}])\p{Mn}\u200d`,
    // the flags of England, Scotland and Wales; other emoji; keycaps
    String.raw`\u{1f3f4}[\u{e0030}-\u{e007a}]{3,6}\u{e007f}|${EMOJI}(?:\u200d${EMOJI})*|[0-9#*]\ufe0f?\u20e3`,
    // variants of Han and Mongolian letters
    String.raw`\p{scx=Hani}[\ufe00-\ufe02\u{e0100}-\u{e01ef}]|(?=\p{L})\p{scx=Mong}[\u180b-\u180d\u180f]`,
  ].join('|'),
  'gu',
);

/** Control, format, private-use and unassigned characters, lone surrogates, line separators, and what fonts draw as nothing. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800\ufffc\ufffd\u{1d159}]/u;

/**
 * Text that mail programs decode in headers (encoded words, RFC 2047), so that a name or an address would differ from what was
 * checked. Programs also decode malformed ones.
 */
export const isEncodedWord = (text: string): boolean => /=\?[^?]*\?[bq]\?/i.test(text);

/** One line without characters that are invisible or have no meaning, which can hide or reorder text. Spaces are allowed. */
export const isVisibleText = (text: string): boolean =>
  /^[\x20-\x7e]*$/.test(text) || !UNSEEN.test(text.replace(MEANINGFUL, ''));
