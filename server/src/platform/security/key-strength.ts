/** A random key of 16 bytes exceeds this in every encoding. */
const LEAST_BITS = 100;
const LEAST_DISTINCT = 10;
/** An attacker who tries the most common passwords would also guess a secret with fewer bits. */
const TRIVIAL_BITS = 30;
/** Sixteen random digits exceed this, and words about the service do not. */
const TOKEN_BITS = 48;
/** An English word has about two bits per letter. */
const BITS_OF_A_LETTER = 2;
const BITS_OF_A_PLACEHOLDER = 4;

const PLACEHOLDERS =
  /change.?(?:me|this|it)|password|passphrase|secret.?key|placeholder|your.?secret|letmein/gi;
/**
 * Words that people choose for a token of this service, and rows and columns of the keyboard. They are also found with digits
 * in place of letters.
 */
const EXPECTED =
  /metrics?|tokens?|prometheus|grafana|scrap(?:e|er|ing)|monitor(?:ing)?|sixdigit|operator|admin|carrier|gateway|bearer|secrets?|passw(?:or)?d|webhook|service|server|verif(?:y|ication)|production|staging|develop(?:ment)?|internal|default|deadbeef|cafebabe|example|company|sample|qwert(?:yuiop)?|asdf(?:gh)?(?:jkl)?|zxcv(?:bnm)?|[1-9i](?:qaz|wsx|edc|rfv|tgb|yhn|ujm)|(?:19|20)\d\d(?!\d)/gi;
/** Digits and signs that stand for letters. */
const LEET: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  $: 's',
  '@': 'a',
};
/** Runs of letters that look like words, and short words between separators. Both are rare and short in random text. */
const WORDS = /[A-Z]?[a-z]{4,}|[A-Z]{5,}|(?<![^\W_])[A-Za-z][a-z]{0,2}(?![^\W_])/g;
/** A repetition of at least this many characters is not a coincidence. */
const REPEAT = 4;

/**
 * Why this server key could be guessed, as the end of a sentence. Undefined for random text, such as the output of `openssl
 * rand -base64 32`.
 */
export function keyWeakness(key: string): string | undefined {
  const distinct = new Set(key).size;
  if (distinct < LEAST_DISTINCT) return `has only ${distinct} different characters`;
  const bits = Math.floor(estimatedBits(key));
  return bits < LEAST_BITS ? `is easy to guess (about ${bits} bits)` : undefined;
}

/** Why this secret is easy to guess, as the end of a sentence. For secrets that can only be guessed by making requests. */
export const triviality = (secret: string): string | undefined =>
  estimatedBits(secret) < TRIVIAL_BITS ? 'is easy to guess' : undefined;

/** Why someone who knows the token's purpose could guess it, as the end of a sentence. */
export function guessability(token: string): string | undefined {
  // Replaces one character by one, so that a word has the same position in both texts.
  const letters = token.replace(/[013457$@]/g, (sign) => LEET[sign] ?? sign);
  const chosen = [token, letters].flatMap((text) => [...text.matchAll(EXPECTED)]);
  const rest = [...token];
  for (const { index, 0: word } of chosen) rest.fill('\0', index, index + word.length);
  const others = rest.join('').replaceAll('\0', '');
  // Doubled characters would hide a sequence.
  const plain = others.replace(/(.)\1/g, '$1');
  const bits = Math.min(...[token, others, plain].map((text) => (text === '' ? 0 : estimatedBits(text))));
  return bits + BITS_OF_A_PLACEHOLDER * chosen.length < TOKEN_BITS ? 'is easy to guess' : undefined;
}

/**
 * A conservative estimate. Words, sequences and repetitions count little; each other character counts by the alphabet in use.
 */
function estimatedBits(key: string): number {
  const alphabet = alphabetOf(key);
  const perCharacter = Math.log2(alphabet);
  let bits = 0;
  const rest = key
    .replace(PLACEHOLDERS, () => {
      bits += BITS_OF_A_PLACEHOLDER;
      return '\0';
    })
    .replace(WORDS, (word) => {
      // Random hexadecimal digits contain runs of letters too.
      if (alphabet <= 16) return word;
      bits += BITS_OF_A_LETTER * unpredictable(word);
      return '\0';
    });
  // Repetitions are measured over the whole key, because removing words would hide them.
  const share = unpredictable(key) / key.length;
  return (bits + perCharacter * unpredictable(rest.replace(/[\0\s]/g, ''))) * Math.min(1, 2 * share);
}

function alphabetOf(text: string): number {
  if (/^[0-9a-f]*$/i.test(text)) return /^\d*$/.test(text) ? 10 : 16;
  const classes: [RegExp, number][] = [
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/\d/, 10],
    [/[^a-zA-Z\d]/, 4],
  ];
  return classes.reduce((sum, [pattern, size]) => sum + (pattern.test(text) ? size : 0), 0);
}

/** Counts the characters that cannot be predicted from the preceding ones. */
function unpredictable(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; ) {
    const known = Math.max(repeatedAt(text, at), sequenceAt(text, at));
    count += 1;
    at += Math.max(1, known);
  }
  return count;
}

/** The length of a repetition that starts here; 0 if it is shorter than `REPEAT`. */
function repeatedAt(text: string, at: number): number {
  let longest = 0;
  for (let from = 0; from < at; from++) {
    let length = 0;
    while (at + length < text.length && text[from + length] === text[at + length]) length++;
    longest = Math.max(longest, length);
  }
  return longest >= REPEAT ? longest : 0;
}

/**
 * The length of a run with a constant step that starts here, as in `abcd`, `9876` and `aaaa`; 0 if it is shorter than `REPEAT`.
 */
function sequenceAt(text: string, at: number): number {
  const step = text.charCodeAt(at + 1) - text.charCodeAt(at);
  if (!(Math.abs(step) <= 1)) return 0;
  let length = 2;
  while (text.charCodeAt(at + length) - text.charCodeAt(at + length - 1) === step) length++;
  return length >= REPEAT ? length : 0;
}
