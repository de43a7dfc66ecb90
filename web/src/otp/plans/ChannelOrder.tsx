import { Button, Input } from '@mantine/core';
import type { Channel } from '@sixdigit/contract/channels.ts';
import { IconArrowUp, IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { labelOf } from '../../ui/channel.ts';
import { TipIcon } from '../../ui/TipIcon.tsx';

interface Props {
  channels: readonly Channel[];
  /** the channels that can be added */
  offered: readonly Channel[];
  onChange: (channels: Channel[]) => void;
  error?: ReactNode;
}

/** Channels in the order in which they are tried. */
export function ChannelOrder({ channels, offered, onChange, error }: Props) {
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
