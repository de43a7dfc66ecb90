import type { DeploymentWorstDay } from '@sixdigit/contract/protection/protection.ts';
import { Campaigns } from '../../protection/worst-day/Campaigns.tsx';
import { deploymentSummaryOf } from '../../protection/worst-day/worst-day-texts.ts';

/** The worst day of the largest accounts, summed. */
export const OperatorWorstDay = ({ worst }: { worst: DeploymentWorstDay }) => (
  <div className="mt-4 grid grid-cols-1 gap-5">
    <p className="m-0 text-15 font-550">{deploymentSummaryOf(worst)}</p>
    {worst.accounts === 0 ? null : <Campaigns worst={worst} />}
  </div>
);
