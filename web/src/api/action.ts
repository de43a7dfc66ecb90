import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { sentence } from './call.ts';
import { type Changed, invalidate } from './read.ts';
import { toast } from './toast.ts';

export interface Action<Given, Result> {
  run: (given: Given) => Promise<Result>;
  /** lets other parts see that it is running */
  key?: QueryKey;
  /** the toast on success */
  success?: string;
  /** the toast on failure, if the server sent no sentence */
  failure: string;
  /** what changes; refetched before `done` */
  refresh?: Changed;
  done?: (result: Result, given: Given) => unknown;
}

/**
 * A mutation behind a button: `const remove = useAction({ run, success, failure, refresh: [listApiKeys] })`, then
 * `remove.mutate(id)` and `remove.isPending`. A failure appears as a toast and nowhere else.
 */
export function useAction<Given = void, Result = unknown>(action: Action<Given, Result>) {
  const queryClient = useQueryClient();
  return useMutation({
    ...(action.key ? { mutationKey: action.key } : {}),
    mutationFn: action.run,
    onSuccess: async (result, given) => {
      await invalidate(queryClient, ...(action.refresh ?? []));
      if (action.success) toast.success(action.success);
      await action.done?.(result, given);
    },
    onError: (cause) => {
      console.error(cause);
      toast.error(sentence(cause, action.failure));
    },
  });
}
