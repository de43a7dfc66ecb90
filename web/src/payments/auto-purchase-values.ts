import {
  AUTO_PURCHASE_AMOUNT,
  AUTO_PURCHASE_THRESHOLD,
  type Branding,
} from '@sixdigit/contract/accounts/branding.ts';
import { wholeNumber } from '../form/whole-number.ts';

type Settings = Pick<Branding, 'auto_purchase_enabled' | 'auto_purchase_threshold' | 'auto_purchase_amount'>;

/** The fields of the dialog, as text. `isOn`: the state of the switch at first. */
export const valuesOf = (kept: Settings, isOn: boolean) => ({
  auto_purchase_enabled: isOn,
  auto_purchase_threshold: String(kept.auto_purchase_threshold),
  auto_purchase_amount: String(kept.auto_purchase_amount),
});

/** The request body, with the product's defaults for invalid numbers. Disabled fields keep their values. */
export const bodyOf = (values: ReturnType<typeof valuesOf>, kept: Settings): Settings =>
  values.auto_purchase_enabled
    ? {
        auto_purchase_enabled: true,
        auto_purchase_threshold: wholeNumber(values.auto_purchase_threshold, AUTO_PURCHASE_THRESHOLD.default),
        auto_purchase_amount: wholeNumber(values.auto_purchase_amount, AUTO_PURCHASE_AMOUNT.default),
      }
    : {
        auto_purchase_enabled: false,
        auto_purchase_threshold: kept.auto_purchase_threshold,
        auto_purchase_amount: kept.auto_purchase_amount,
      };
