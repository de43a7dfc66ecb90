import { Skeleton } from '@mantine/core';

/** A placeholder for a form that is loading, as high as the form. On phones, where each field has a row, each has a hint. */
export const FieldsWaiting = ({
  fields,
  className = 'min-h-97 max-sm:min-h-133',
}: {
  fields: number;
  className?: string;
}) => (
  <div className={`grid content-between ${className}`}>
    {Array.from({ length: fields }, (_, field) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they never change
      <div key={field}>
        <Skeleton height={12} width="6rem" mb={10} radius="xl" />
        <Skeleton className="h-9 touch:h-11" radius="md" />
        <Skeleton className="sm:hidden" height={10} mt={8} width="70%" radius="xl" />
      </div>
    ))}
    <Skeleton height={36} width="8.5rem" radius="md" />
  </div>
);
