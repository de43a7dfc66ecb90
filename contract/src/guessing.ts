/** How likely a guess of a code is: the attempts that it allows, among all codes of its length. */

/** Attempts per code: three for codes below six digits, otherwise five. */
export const attemptsFor = (length: number): number => (length < 6 ? 3 : 5);

const ATTEMPTS_MOST = 10;

/**
 * The most attempts that a send may ask for with a code of this length, so that a guess is not likelier than with the account's
 * own length and its attempts. 0: the code is too short.
 */
export const mostAttempts = (length: number, lengthOfAccount: number): number =>
  Math.min(ATTEMPTS_MOST, Math.floor(attemptsFor(lengthOfAccount) * 10 ** (length - lengthOfAccount)));
