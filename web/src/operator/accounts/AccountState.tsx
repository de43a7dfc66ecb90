import type { OperatorAccount } from '@sixdigit/contract/operator/accounts.ts';
import { Badge, type Tone } from '../../ui/Badge.tsx';

const looks: Record<OperatorAccount['state'], { tone: Tone; label: string }> = {
  active: { tone: 'green', label: 'Active' },
  suspended: { tone: 'red', label: 'Suspended' },
  deleted: { tone: 'gray', label: 'Deleted' },
};

export const AccountState = ({ state }: Pick<OperatorAccount, 'state'>) => (
  <Badge tone={looks[state].tone}>{looks[state].label}</Badge>
);
