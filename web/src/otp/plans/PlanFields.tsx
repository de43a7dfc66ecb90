import { Button, Input } from '@mantine/core';
import type { Channel } from '@sixdigit/contract/channels.ts';
import { WAIT_SECONDS } from '@sixdigit/contract/plan-fields.ts';
import { IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { WholeNumberInput } from '../../form/WholeNumberInput.tsx';
import { wholeNumber } from '../../form/whole-number.ts';
import { prices } from '../../payments/price-list.ts';
import { labelOf } from '../../ui/channel.ts';
import { TipIcon } from '../../ui/TipIcon.tsx';
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

interface OrderProps {
  channels: readonly Channel[];
  /** the channels that can be added */
  offered: readonly Channel[];
  onChange: (channels: Channel[]) => void;
  error?: ReactNode;
}

/** Channels in the order in which they are tried. */
function ChannelOrder({ channels, offered, onChange, error }: OrderProps) {
  const group = useRef<HTMLFieldSetElement>(null);
  const rest = offered.filter((channel) => !channels.includes(channel));
  /** The button that was pressed may disappear. */
  const change = (to: Channel[]): void => {
    onChange(to);
    group.current?.focus();
  };
  return (
    <Input.Wrapper label="Channels" labelElement="div" error={error}>
      <fieldset
        ref={group}
        aria-label="Channels"
        tabIndex={-1}
        data-path="channels"
        className="m-0 min-w-0 border-0 p-0 outline-offset-4"
      >
        <ol className="m-0 list-none rounded-8 border border-line p-0">
          {channels.map((channel, n) => (
            <li
              key={channel}
              className="flex min-h-10 items-center gap-2 border-t border-line ps-3 pe-1 first:border-t-0"
            >
              <span className="text-13 text-ink-soft tabular-nums" aria-hidden>
                {n + 1}
              </span>
              <span className="flex-1 font-500">{labelOf(channel)}</span>
              {n > 0 ? (
                <TipIcon
                  label={`Move ${labelOf(channel)} up`}
                  onClick={() => change(channels.with(n - 1, channel).with(n, channels[n - 1] as Channel))}
                >
                  <IconArrowUp size={18} stroke={1.75} aria-hidden />
                </TipIcon>
              ) : null}
              {channels.length > 1 ? (
                <TipIcon
                  label={`Remove ${labelOf(channel)}`}
                  onClick={() => change(channels.filter((one) => one !== channel))}
                >
                  <IconX size={18} stroke={1.75} aria-hidden />
                </TipIcon>
              ) : null}
            </li>
          ))}
        </ol>
        {rest.length > 0 ? (
          <div className="mt-2 flex flex-wrap gap-2">
            {rest.map((channel) => (
              <Button
                key={channel}
                variant="default"
                size="compact-sm"
                leftSection={<IconPlus size={14} aria-hidden />}
                onClick={() => change([...channels, channel])}
              >
                Add {labelOf(channel)}
              </Button>
            ))}
          </div>
        ) : null}
      </fieldset>
    </Input.Wrapper>
  );
}
