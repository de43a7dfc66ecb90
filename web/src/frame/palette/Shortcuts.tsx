import { useState } from 'react';
import { hasSingleKeys, setSingleKeys } from '../../table/list-keys.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { Switch } from '../../ui/Switch.ts';
import { isApple } from '../shortcuts.ts';

const shortcuts: readonly { keys: readonly string[]; does: string; isSingle?: true }[] = [
  { keys: [isApple ? '⌘' : 'Ctrl', 'K'], does: 'Search and commands' },
  { keys: [isApple ? '⌘' : 'Ctrl', 'B'], does: 'Show or hide the sidebar' },
  { keys: ['/'], does: 'Search in the list', isSingle: true },
  { keys: ['j'], does: 'Next row', isSingle: true },
  { keys: ['k'], does: 'Previous row', isSingle: true },
  { keys: ['Enter'], does: 'Open the row' },
  { keys: ['Esc'], does: 'Close the dialog' },
  { keys: ['?'], does: 'Show these shortcuts', isSingle: true },
];

/** The list of keyboard shortcuts. */
export function Shortcuts({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [isOn, setOn] = useState(hasSingleKeys);
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard Shortcuts" size="sm">
      <dl className="m-0 mb-5">
        {shortcuts.map(({ keys, does, isSingle }) => (
          <div
            key={does}
            className={`flex items-center justify-between gap-4 border-b border-line py-2 ${isSingle && !isOn ? 'text-(color:--mantine-color-disabled-color)' : ''}`}
          >
            <dt className={isSingle && !isOn ? 'line-through' : ''}>{does}</dt>
            <dd className="m-0 flex gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="min-w-6.5 rounded-6 border border-line bg-sunken px-1.5 py-0.5 text-center text-13 [font-family:inherit]"
                >
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Switch
        label="Single-key shortcuts"
        description="Stored in this browser"
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => {
          setOn(checked);
          setSingleKeys(checked);
        }}
      />
    </Dialog>
  );
}
