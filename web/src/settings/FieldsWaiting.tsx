import { Skeleton } from '@mantine/core';
import { GroupTitle } from './GroupTitle.tsx';

/** A placeholder for a form that is loading, as high as the form. On phones, where most fields have a row, each row has hints. */
export const FieldsWaiting = ({
  rows,
  className = 'min-h-97 max-sm:min-h-133',
}: {
  /** how many fields are side by side, or a group's title */
  rows: readonly (number | string)[];
  className?: string;
}) => (
  <div className={`grid content-between ${className}`}>
    {rows.map((fields, row) =>
      typeof fields === 'string' ? (
        <GroupTitle key={fields}>{fields}</GroupTitle>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change
        <div key={row} className="grid auto-cols-fr grid-flow-col gap-4">
          {Array.from({ length: fields }, (_, field) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they never change
            <div key={field}>
              <Skeleton height={12} width="6rem" mb={10} radius="xl" />
              <Skeleton className="h-9 touch:h-11" radius="md" />
              <Skeleton className="sm:hidden" height={10} mt={8} width="70%" radius="xl" />
            </div>
          ))}
        </div>
      ),
    )}
    <Skeleton height={36} width="8.5rem" radius="md" />
  </div>
);
