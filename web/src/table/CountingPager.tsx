import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CountQuery } from './count.ts';
import { Pager, type PagerProps } from './Pager.tsx';

/** The pager for a page that arrived before its count. */
export function CountingPager({ counting, ...pager }: PagerProps & { counting: CountQuery }) {
  const { data, isError } = useQuery(counting);
  // New rows may have arrived since the count.
  if (data !== undefined) return <Pager {...pager} count={Math.max(data, pager.count)} />;
  if (isError) return <Pager {...pager} known="unavailable" note={<span>Exact count unavailable</span>} />;
  return (
    <Pager
      {...pager}
      known="counting"
      note={<Loader size={12} color="gray" aria-label="Counting" role="img" />}
    />
  );
}
