import type { ComponentProps } from 'react';

/** Above a group of fields. */
export const GroupTitle = (props: ComponentProps<'h3'>) => (
  <h3
    {...props}
    className="mt-2 mb-0 scroll-mt-(--anchor) border-t border-line pt-5 text-17 font-650 first:mt-0 first:border-t-0 first:pt-0"
  />
);
