import { Button } from '@mantine/core';

/** The way out of an empty list whose period may be too short: an empty list has no filters. */
export const ShowAllTime = ({ list }: { list: { change: (patch: { days: 'all' }) => void } }) => (
  <Button variant="default" onClick={() => list.change({ days: 'all' })}>
    Show All Time
  </Button>
);
