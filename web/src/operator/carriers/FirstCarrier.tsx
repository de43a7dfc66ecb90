import type { OperatorChannel } from '@sixdigit/contract/operator/carriers.ts';
import { IconBuildingBroadcastTower } from '@tabler/icons-react';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ButtonLink } from '../../ui/links.tsx';

/** Leads the operator of a new deployment to the carriers, without which no code can be delivered. */
export const FirstCarrier = ({ channels }: { channels: readonly OperatorChannel[] }) =>
  channels.some(({ carriers }) => carriers.length > 0) ? null : (
    <EmptyState
      icon={<IconBuildingBroadcastTower size={24} />}
      title="Add your first carrier"
      action={<ButtonLink to="/operator/carriers">Set Up a Carrier</ButtonLink>}
    >
      Until a carrier is set up, no code can be delivered, and other people cannot sign up.
    </EmptyState>
  );
