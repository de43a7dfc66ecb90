import { IconSearch } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { currentConnection, onConnectionChange } from '../api/connection.ts';
import { timeOfDay } from '../ui/dates.ts';
import classes from './CommandTrigger.module.css';
import { isApple } from './shortcuts.ts';

/** Opens the command palette. Its dot shows whether the lists are up to date. */
export function CommandTrigger({ onOpen }: { onOpen: () => void }) {
  const { isOffline, reachedAt } = useSyncExternalStore(onConnectionChange, currentConnection);
  const state = isOffline
    ? { label: 'Offline', tip: `Offline, last updated ${timeOfDay(new Date(reachedAt).toISOString())}` }
    : { label: 'Live', tip: 'Live: new rows appear as they arrive' };
  return (
    <button
      type="button"
      className={classes.trigger}
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      data-tip={state.tip}
      onClick={onOpen}
    >
      <IconSearch size={16} stroke={1.75} aria-hidden />
      <span className={classes.words}>Search or jump to...</span>
      <span className={classes.keys} aria-hidden="true">
        {isApple ? '⌘ K' : 'Ctrl K'}
      </span>
      <span className={classes.state} data-state={isOffline ? 'offline' : 'live'}>
        <span className={classes.dot} />
        <span className={classes.label}>{state.label}</span>
      </span>
    </button>
  );
}
