import { Skeleton } from '@mantine/core';

/** A placeholder for a form that is loading, as high as the form. */
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
        <Skeleton height={36} radius="md" />
      </div>
    ))}
    <Skeleton height={36} width="8.5rem" radius="md" />
  </div>
);
