import { IconCloudOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import {
  currentConnection,
  isServiceReachable,
  noteUnreachable,
  onConnectionChange,
} from '../api/connection.ts';
import { Banner } from '../ui/Banner.tsx';
import { timeOfDay } from '../ui/dates.ts';

const PROBE_MS = 3_000;

/** Appears while the service cannot be reached: the rows on the screen may be old. Loads everything anew when it is back. */
export function OfflineNotice() {
  const queryClient = useQueryClient();
  const { isOffline, reachedAt } = useSyncExternalStore(onConnectionChange, currentConnection);

  useEffect(() => {
    window.addEventListener('offline', noteUnreachable);
    return () => window.removeEventListener('offline', noteUnreachable);
  }, []);
  useEffect(() => {
    if (!isOffline) return;
    const refresh = async (): Promise<void> => {
      if (await isServiceReachable()) await queryClient.invalidateQueries();
    };
    const probing = setInterval(() => void refresh(), PROBE_MS);
    return () => clearInterval(probing);
  }, [isOffline, queryClient]);

  return (
    <div role="status">
      {isOffline ? (
        <Banner label="Connection" tone="gray" icon={<IconCloudOff size={16} aria-hidden />}>
          {`Offline, last updated ${timeOfDay(new Date(reachedAt).toISOString())}`}
        </Banner>
      ) : null}
    </div>
  );
}
