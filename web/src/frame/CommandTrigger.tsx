import { IconSearch } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { currentConnection, onConnectionChange } from '../api/connection.ts';
import { liveState, onLiveState } from '../api/live.ts';
import { timeOfDay } from '../ui/dates.ts';
import classes from './CommandTrigger.module.css';
import { isApple } from './shortcuts.ts';

const labels = { live: 'Live', polling: 'Polling', connecting: 'Connecting', offline: 'Offline' };

/** Opens the command palette. Its dot shows whether the lists are up to date. */
export function CommandTrigger({ onOpen }: { onOpen: () => void }) {
  const { isOffline, reachedAt } = useSyncExternalStore(onConnectionChange, currentConnection);
  const live = useSyncExternalStore(onLiveState, liveState);
  const state = isOffline ? 'offline' : live;
  const tips = {
    live: 'Live: new rows appear as they arrive',
    polling: 'No live connection: rows are refreshed every few seconds',
    connecting: 'Connecting to live updates',
    offline: `Offline, last updated ${timeOfDay(new Date(reachedAt).toISOString())}`,
  };
  return (
    <button
      type="button"
      className={classes.trigger}
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      data-tip={tips[state]}
      onClick={onOpen}
    >
      <IconSearch size={16} stroke={1.75} aria-hidden />
      <span className={classes.words}>Search or jump to...</span>
      <span className={classes.keys} aria-hidden="true">
        {isApple ? '⌘ K' : 'Ctrl K'}
      </span>
      <span className={classes.state} data-state={state}>
        <span className={classes.dot} />
        <span className={classes.label}>{labels[state]}</span>
      </span>
    </button>
  );
}
