import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { WholeNumberInput } from '../form/WholeNumberInput.tsx';

interface Props extends Pick<ComponentProps<typeof WholeNumberInput>, 'value' | 'onChange' | 'error'> {
  /** The default threshold is in effect. */
  isDefault: boolean;
}

/** The low-balance threshold, in Settings and on Credits. */
export function LowBalanceInput({ isDefault, ...props }: Props) {
  const { data: user } = useQuery(currentUser);
  return (
    <WholeNumberInput
      label="Low-balance threshold"
      description="Below this balance, every screen shows a warning and you get an email. Leave empty for a tenth of the balance after your last purchase, but at least 5. Enter 0 for no emails and a warning only at 0 credits."
      placeholder={(isDefault && user?.low_balance_threshold?.toLocaleString('en-US')) || 'Default'}
      unit="credits"
      fallback={undefined}
      {...props}
    />
  );
}
