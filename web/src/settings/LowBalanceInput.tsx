import type { ComponentProps } from 'react';
import { WholeNumberInput } from '../form/WholeNumberInput.tsx';

type Props = Pick<ComponentProps<typeof WholeNumberInput>, 'value' | 'onChange' | 'error'>;

/** The low-balance threshold, in Settings and on Credits. */
export const LowBalanceInput = (props: Props) => (
  <WholeNumberInput
    label="Low-balance Threshold"
    description="Below this balance, every screen shows a warning and you get an email. Another email follows at 0. Leave empty for a tenth of the balance after your last purchase, at least 5 credits. Enter 0 to turn the emails off."
    placeholder="Default"
    unit="credits"
    fallback={undefined}
    {...props}
  />
);
