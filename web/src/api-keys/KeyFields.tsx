import { Textarea, TextInput } from '@mantine/core';
import type { KeyMode } from '@sixdigit/contract/api-keys.ts';
import { useEffect, useId } from 'react';
import { deployment } from '../api/deployment.ts';
import type { BodyForm } from '../form/Form.tsx';
import { DAY_MS, MomentInput } from '../form/MomentInput.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import classes from './KeyFields.module.css';
import { useMayManage } from './live-keys.ts';

const EXPIRIES = [7, 30, 90, 365].map((days) => ({
  label: days === 365 ? 'In a year' : `In ${days} days`,
  ms: days * DAY_MS,
}));

interface LimitsProps {
  // biome-ignore lint/suspicious/noExplicitAny: the forms differ in their other fields and their response
  form: BodyForm<any, any>;
  thing: 'key' | 'connection';
  /** Sends cost nothing, so a credit limit has no meaning. */
  isFree: boolean;
}

/** Expiry, daily limit and networks of a key or a connection. */
export const KeyLimits = ({ form, thing, isFree }: LimitsProps) => (
  <>
    <div className={`${classes.pair} grid grid-cols-1 items-start gap-4`}>
      <MomentInput label="Expires" otherwise="Never" presets={EXPIRIES} {...form.field('expires_at')} />
      {isFree ? null : (
        <TextInput
          label="Daily credit limit"
          description="Per UTC day. Empty for no limit."
          inputMode="numeric"
          autoComplete="off"
          {...form.field('daily_credit_limit')}
        />
      )}
    </div>
    <Textarea
      label="Allowed networks"
      description={`IP addresses and networks that may use the ${thing}, one per line. Leave empty to allow every network.`}
      placeholder={'203.0.113.7\n198.51.100.0/24'}
      autosize
      minRows={2}
      maxRows={6}
      autoCapitalize="none"
      spellCheck={false}
      {...form.field('allowed_networks')}
    />
  </>
);

const modes: Record<KeyMode, string> = {
  live: 'Sends real messages and costs credits.',
  test: 'Sends nothing and costs nothing. Messages appear in the test inbox.',
};

/** A sandbox simulates the messages of all channels, or of those that have no carrier. */
function meaningOf(mode: KeyMode): string {
  const { sandbox, channels } = deployment();
  if (mode === 'test' || !sandbox || sandbox.channels.length === 0) return modes[mode];
  return sandbox.channels.length < channels.length
    ? 'Costs credits and sends real messages, except on channels that this sandbox simulates.'
    : 'Sends cost credits. This sandbox simulates messages.';
}

/** The mode of a new key or connection, with what it means. */
export function ModeInput({ mode, onChange }: { mode: KeyMode; onChange: (mode: KeyMode) => void }) {
  const modeId = useId();
  const mayBeLive = useMayManage()('live');
  useEffect(() => {
    if (!mayBeLive && mode === 'live') onChange('test');
  }, [mayBeLive, mode, onChange]);
  return (
    <div className="grid gap-[0.35rem]">
      <span id={modeId} className="text-14 font-550">
        Mode
      </span>
      <SegmentedControl
        aria-labelledby={modeId}
        data={[
          { value: 'live', label: 'Live', disabled: !mayBeLive },
          { value: 'test', label: 'Test' },
        ]}
        value={mode}
        onChange={(chosen) => onChange(chosen as KeyMode)}
      />
      <p className="m-0 text-12 text-ink-soft">
        {meaningOf(mode)}
        {mayBeLive ? null : ' Live needs the role admin in this account.'}
      </p>
    </div>
  );
}
