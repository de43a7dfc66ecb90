import type { ReactNode } from 'react';

/** The h1 of a screen with its description and main action. */
export const PageHeading = ({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) => (
  <div className="mb-5 flex flex-wrap items-start justify-between gap-x-6 gap-y-3" data-heading="">
    <div className="min-w-0 flex-[1_1_13rem]">
      <h1 className="m-0 text-[1.625rem] leading-[1.25] font-650">{title}</h1>
      {children ? <p className="mt-1 mb-0 max-w-168 text-pretty text-ink-soft">{children}</p> : null}
    </div>
    {actions ? <div className="flex flex-wrap gap-2">{actions}</div> : null}
  </div>
);
