import type { LiveTopic } from '@sixdigit/contract/live.ts';
import { useIsMutating, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { CURRENT_USER } from '../accounts/current-user.ts';
import { SIGN_OUT } from '../accounts/sign-out.ts';
import { onLiveChange, setLiveState } from '../api/live.ts';
import { loadWhenReachable } from '../ui/lazy-part.ts';
import { whenIdle } from '../ui/when-idle.ts';

/** The prefixes of the queries that a topic makes old. */
const queriesOf: Record<LiveTopic, readonly (readonly string[])[]> = {
  verifications: [['verifications'], ['webhooks'], ['test-mode']],
  requests: [['logs']],
  credits: [['payments', 'transactions'], CURRENT_USER],
};

/** Loads the shown lists anew when the service says that they have changed. */
export function useLiveLists(): void {
  const queryClient = useQueryClient();
  const isSigningOut = useIsMutating({ mutationKey: SIGN_OUT }) > 0;
  useEffect(() => {
    // The service ends the stream with the session. To connect again would be refused.
    if (isSigningOut) return;
    // A fetch under way may have read before the change. It ends first, so that events cannot keep a slow list from loading.
    const refetch = async (queryKey: readonly string[]): Promise<void> => {
      const options = { cancelRefetch: false };
      if (queryClient.isFetching({ queryKey }) > 0)
        await queryClient.invalidateQueries({ queryKey }, options);
      if (queryClient.isMutating({ mutationKey: SIGN_OUT }) > 0) return;
      await queryClient.invalidateQueries({ queryKey }, options);
    };
    const stop = onLiveChange((topics) => {
      for (const queryKey of topics.flatMap((topic) => queriesOf[topic])) void refetch(queryKey);
    });
    let end: (() => void) | undefined;
    let isLeft = false;
    const start = (): void => {
      loadWhenReachable(() => import('../api/live-stream.ts')).then(
        ({ startLiveStream }) => {
          if (!isLeft) end = startLiveStream();
        },
        (cause: unknown) => {
          setLiveState('polling');
          console.error(cause);
        },
      );
    };
    const cancel = whenIdle(start);
    return () => {
      isLeft = true;
      cancel();
      stop();
      end?.();
    };
  }, [queryClient, isSigningOut]);
}
