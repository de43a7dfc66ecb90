import type { Step } from '@sixdigit/contract/plan-fields.ts';
import { labelOf } from '../../ui/channel.ts';
import { Change, Changes } from '../VerificationHistory.tsx';
import { reasonText, STEP_SHOWN } from './plan-texts.ts';

/** The channels of a plan in order: what their messages did, or when they start. */
export const Steps = ({ steps, day }: { steps: readonly Step[]; day: string }) => (
  <Changes label="Steps">
    {steps.map((step) => (
      <Change
        key={step.channel}
        status={STEP_SHOWN[step.status].mark}
        what={labelOf(step.channel)}
        after={STEP_SHOWN[step.status].label}
        at={step.at}
        day={day}
        before={step.status === 'waiting' && step.at !== null ? 'Starts at ' : null}
        where={step.status === 'waiting' && step.at === null ? 'Starts with a resend' : null}
        notes={reasonText(step)}
      />
    ))}
  </Changes>
);
