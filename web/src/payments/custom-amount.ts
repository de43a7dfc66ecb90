import { CREDITS_MESSAGE, CUSTOM_CREDITS, calculatePrice } from '@sixdigit/contract/payments.ts';
import { asciiDigits } from '@sixdigit/contract/text/digits.ts';

/**
 * The number that a person typed: in digits of any script, with leading zeros, or with groups of three. Credits are whole, so
 * `1.000` is a thousand. The text itself if it is not a number.
 */
export function creditsIn(amount: string | number): string | number {
  if (typeof amount === 'number') return amount;
  const text = asciiDigits(amount).trim();
  const isGrouped = /^\d{1,3}(?:([.,'\u2019\s])\d{3})(?:\1\d{3})*$/.test(text);
  const digits = isGrouped ? text.replace(/\D/g, '') : text;
  return /^\d{1,15}$/.test(digits) ? Number(digits) : text;
}

/**
 * The error message for a number of credits. It appears immediately for a decimal or a number that is too high, but only after
 * the first attempt to buy for a missing number or one that is too low.
 */
export function problemOf(
  amount: string | number,
  { hasTried, minimum }: { hasTried: boolean; minimum: number },
): string | undefined {
  const credits = creditsIn(amount);
  const { error, data } = calculatePrice.body.safeParse({ credits });
  const isWrongAtOnce =
    typeof credits === 'number'
      ? credits > CUSTOM_CREDITS.max || !Number.isInteger(credits)
      : // A separator at the end may begin a group.
        !/^(?:\d+[.,])?$/.test(credits);
  if (isWrongAtOnce || (hasTried && error)) return error?.issues[0]?.message ?? CREDITS_MESSAGE;
  return hasTried && data && data.credits < minimum ? CREDITS_MESSAGE : undefined;
}
