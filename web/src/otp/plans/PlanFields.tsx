import type { Channel } from '@sixdigit/contract/channels.ts';
import { WAIT_SECONDS } from '@sixdigit/contract/plan-fields.ts';
import { useQuery } from '@tanstack/react-query';
import { WholeNumberInput } from '../../form/WholeNumberInput.tsx';
import { wholeNumber } from '../../form/whole-number.ts';
import { prices } from '../../payments/price-list.ts';
import { ChannelOrder } from './ChannelOrder.tsx';
import { mostText, planText } from './plan-texts.ts';

export interface PlanValues {
  channels: Channel[];
  /** seconds, as typed */
  wait: string;
}

interface Props {
  plan: PlanValues;
  onChange: (plan: PlanValues) => void;
  offered: readonly Channel[];
  /** of the phone number, for the price; null: any */
  country?: string | null;
  /** by field of the call */
  problems: Partial<Record<string, string>>;
}

/** The channels of a plan and their wait, with what it costs at most. */
export function PlanFields({ plan, onChange, offered, country = null, problems }: Props) {
  const { data: list } = useQuery(prices);
  const { channels, wait } = plan;
  const wait_seconds = wholeNumber(wait, WAIT_SECONDS.default) ?? WAIT_SECONDS.default;
  return (
    <>
      <ChannelOrder
        channels={channels}
        offered={offered}
        onChange={(chosen) => onChange({ ...plan, channels: chosen })}
        error={problems.channels}
      />
      {channels.length > 1 || problems.wait_seconds ? (
        <WholeNumberInput
          label="Wait"
          description="Before the next channel, unless the message fails first"
          unit="seconds"
          fallback={WAIT_SECONDS.default}
          data-path="wait_seconds"
          value={wait}
          onChange={(typed) => onChange({ ...plan, wait: typed })}
          error={problems.wait_seconds}
        />
      ) : null}
      <p className="m-0 text-14 text-ink-soft" aria-live="polite">
        {planText({ channels, wait_seconds })}. {mostText({ channels }, list?.sends ?? [], country)}.
      </p>
    </>
  );
}
