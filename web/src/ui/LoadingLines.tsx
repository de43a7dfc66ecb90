import { Skeleton, VisuallyHidden } from '@mantine/core';

const SHARES = [58, 84, 40, 70];

/** Stands for content that is loading. */
export const LoadingLines = () => (
  <div role="status" aria-busy="true">
    <VisuallyHidden>Loading...</VisuallyHidden>
    {SHARES.map((share) => (
      <Skeleton key={share} height={12} my={22} width={`${share}%`} radius="xl" />
    ))}
  </div>
);
