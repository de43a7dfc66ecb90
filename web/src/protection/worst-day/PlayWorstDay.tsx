import { Button, Skeleton } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { useAction } from '../../api/action.ts';
import { busyButton } from '../../ui/busy-button.ts';

interface Props<Result> {
  run: () => Promise<Result>;
  children: (result: Result) => ReactNode;
}

/** A button that computes for seconds, and its result. */
export function PlayWorstDay<Result>({ run, children }: Props<Result>) {
  const { data, isPending, mutate } = useAction({ run, failure: 'Failed to play the worst day' });
  return (
    <>
      <Button
        variant="default"
        {...busyButton(isPending)}
        onClick={() => {
          if (!isPending) mutate();
        }}
      >
        {isPending ? 'Playing...' : data ? 'Play Again' : 'Play Worst Day'}
      </Button>
      <div role="status" aria-busy={isPending}>
        {isPending ? <Waiting /> : data ? <Suspense>{children(data)}</Suspense> : null}
      </div>
    </>
  );
}

const Waiting = () => (
  <div className="mt-4">
    <p className="m-0 text-14 text-ink-soft">
      Attacks of a day are played against the settings. This takes some seconds.
    </p>
    {[80, 55, 70].map((share) => (
      <Skeleton key={share} height={12} my={18} width={`${share}%`} radius="xl" aria-hidden />
    ))}
  </div>
);
