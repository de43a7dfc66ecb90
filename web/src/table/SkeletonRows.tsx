import { Skeleton } from '@mantine/core';
import classes from './DataTable.module.css';
import { PAGE_SIZE } from './Pager.tsx';

const rows = Array.from({ length: PAGE_SIZE }, (_, index) => index);

/** As many and as high as the real rows, so that the layout does not shift. */
export const SkeletonRows = ({ columns }: { columns: number }) =>
  rows.map((row) => (
    <tr key={row} className={classes.skeleton} aria-hidden>
      {Array.from({ length: columns }, (_, cell) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: skeleton rows have no identity
        <td key={cell}>
          <Skeleton height={12} width={`${45 + ((row * 7 + cell * 23) % 45)}%`} radius="xl" />
        </td>
      ))}
    </tr>
  ));
