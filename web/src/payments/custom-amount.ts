import { CREDITS_MESSAGE, CUSTOM_CREDITS, calculatePrice } from '@sixdigit/contract/payments.ts';

/**
 * The error message for a number of credits. It appears immediately for a decimal or a number that is too high, but only after
 * the first attempt to buy for a missing number or one that is too low.
 */
export function problemOf(
  amount: string | number,
  { hasTried, minimum }: { hasTried: boolean; minimum: number },
): string | undefined {
  const { error, data } = calculatePrice.body.safeParse({ credits: amount });
  const isWrongAtOnce =
    typeof amount === 'number' && (amount > CUSTOM_CREDITS.max || !Number.isInteger(amount));
  if (isWrongAtOnce || (hasTried && error)) return error?.issues[0]?.message ?? CREDITS_MESSAGE;
  return hasTried && data && data.credits < minimum ? CREDITS_MESSAGE : undefined;
}
