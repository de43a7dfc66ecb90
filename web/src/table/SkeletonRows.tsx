import { Skeleton } from '@mantine/core';
import { CompactRow } from './CompactRow.tsx';
import classes from './DataTable.module.css';
import { PAGE_SIZE } from './Pager.tsx';

const rows = Array.from({ length: PAGE_SIZE }, (_, index) => index);

/** As many and as high as the real rows, so that the layout does not shift. */
export const SkeletonRows = ({ columns, isCompact }: { columns: number; isCompact: boolean }) =>
  rows.map((row) => (
    <tr key={row} className={isCompact ? undefined : classes.skeleton} aria-hidden>
      {Array.from({ length: columns }, (_, cell) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: skeleton rows have no identity
        <td key={cell}>
          {isCompact ? (
            <CompactRow
              title={<Bar percent={40 + ((row * 7) % 30)} />}
              details={[<Bar key="bar" percent={60} />]}
            />
          ) : (
            <Bar percent={45 + ((row * 7 + cell * 23) % 45)} />
          )}
        </td>
      ))}
    </tr>
  ));

const Bar = ({ percent }: { percent: number }) => <Skeleton height={12} width={`${percent}%`} radius="xl" />;
