import {
  AUTO_PURCHASE_AMOUNT,
  AUTO_PURCHASE_THRESHOLD,
  type Branding,
  type updateBranding,
} from '@sixdigit/contract/accounts/branding.ts';
import { CODE_LENGTH, EXPIRY_SECONDS } from '@sixdigit/contract/code-message.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { wholeNumber } from '../form/whole-number.ts';

/** The fields hold text, so that the form can show and reject invalid input. */
export const valuesOf = (kept: Branding) => ({
  ...kept,
  default_otp_length: String(kept.default_otp_length),
  default_expiry_seconds: String(kept.default_expiry_seconds),
  auto_purchase_threshold: String(kept.auto_purchase_threshold),
  auto_purchase_amount: String(kept.auto_purchase_amount),
  low_balance_threshold: String(kept.low_balance_threshold ?? ''),
});
export type BrandingValues = ReturnType<typeof valuesOf>;

/** The request body, with the product's defaults for invalid numbers. */
export function bodyOf(values: BrandingValues, kept: Branding): Given<typeof updateBranding, 'body'> {
  const threshold = wholeNumber(values.auto_purchase_threshold, AUTO_PURCHASE_THRESHOLD.default);
  const amount = wholeNumber(values.auto_purchase_amount, AUTO_PURCHASE_AMOUNT.default);
  // Disabled fields must not fail validation.
  const usable = (number: number, range: { min: number; max: number }, otherwise: number): number =>
    values.auto_purchase_enabled || (number >= range.min && number <= range.max) ? number : otherwise;
  return {
    ...values,
    default_otp_length: wholeNumber(values.default_otp_length, CODE_LENGTH.default),
    default_expiry_seconds: wholeNumber(values.default_expiry_seconds, EXPIRY_SECONDS.default),
    auto_purchase_threshold: usable(threshold, AUTO_PURCHASE_THRESHOLD, kept.auto_purchase_threshold),
    auto_purchase_amount: usable(amount, AUTO_PURCHASE_AMOUNT, kept.auto_purchase_amount),
    low_balance_threshold: wholeNumber(values.low_balance_threshold, null),
  };
}
