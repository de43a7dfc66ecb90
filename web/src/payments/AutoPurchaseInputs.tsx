import { AUTO_PURCHASE_AMOUNT, AUTO_PURCHASE_THRESHOLD } from '@sixdigit/contract/accounts/branding.ts';
import type { ComponentProps } from 'react';
import { WholeNumberInput } from '../form/WholeNumberInput.tsx';

type Field = Pick<ComponentProps<typeof WholeNumberInput>, 'value' | 'onChange' | 'error'>;

interface Props {
  isOff: boolean;
  threshold: Field;
  amount: Field;
}

/** The numbers of auto-purchase, in Settings and on Credits. */
export const AutoPurchaseInputs = ({ isOff, threshold, amount }: Props) => (
  <>
    <WholeNumberInput
      label="Auto-purchase threshold"
      description="1 to 10,000 credits"
      unit="credits"
      fallback={AUTO_PURCHASE_THRESHOLD.default}
      disabled={isOff}
      {...threshold}
    />
    <WholeNumberInput
      label="Auto-purchase amount"
      description="100 to 100,000 credits"
      unit="credits"
      fallback={AUTO_PURCHASE_AMOUNT.default}
      disabled={isOff}
      {...amount}
    />
  </>
);
