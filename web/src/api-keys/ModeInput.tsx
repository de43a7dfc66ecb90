import type { KeyMode } from '@sixdigit/contract/api-keys.ts';
import { useEffect, useId } from 'react';
import { deployment } from '../api/deployment.ts';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { useMayManage } from './live-keys.ts';

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
