import { Switch } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../ui/Dialog.tsx';
import { hasSingleKeys, setSingleKeys, shortcuts } from '../shortcuts.ts';
import classes from './Shortcuts.module.css';

/** The list of keyboard shortcuts. */
export function Shortcuts({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [isOn, setOn] = useState(hasSingleKeys);
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts" size="sm">
      <dl className={classes.shortcuts}>
        {shortcuts.map(({ keys, does, isSingle }) => (
          <div key={does} data-off={(isSingle && !isOn) || undefined}>
            <dt>{does}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Switch
        label="Shortcuts of a single key"
        description="Kept in this browser"
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => {
          setOn(checked);
          setSingleKeys(checked);
        }}
      />
    </Dialog>
  );
}
