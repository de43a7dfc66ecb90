import { z } from 'zod';
import { pathOf } from '../../platform/http/serve.ts';
import { integer, parse, text } from './fields.ts';
import type { TwilioCall } from './serve.ts';

const PAGE = z.object({
  PageSize: integer(1, 1_000).default(50),
  Page: integer(0, 999_999).default(0),
  PageToken: text(40).optional(),
});

const OWN = new Set(Object.keys(PAGE.shape));

export type PageAsked = z.output<typeof PAGE>;

export const pageAsked = (call: TwilioCall): PageAsked => parse(PAGE, call.query);

/** The list of a page with the addresses of the pages around it. Filters stay in these addresses. */
export function pageOf(
  call: TwilioCall,
  { key, rows, nextToken }: { key: string; rows: readonly object[]; nextToken: string | undefined },
): object {
  const asked = pageAsked(call);
  const address = (Page: number, PageToken?: string): string => {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query))
      if (typeof value === 'string' && !OWN.has(name)) params.set(name, value);
    params.set('PageSize', String(asked.PageSize));
    params.set('Page', String(Page));
    if (PageToken !== undefined) params.set('PageToken', PageToken);
    return `${call.base}${resourceOf(call)}?${params.toString()}`;
  };
  const meta = {
    page: asked.Page,
    page_size: asked.PageSize,
    first_page_url: address(0),
    // Lists with tokens go forward only.
    previous_page_url: asked.Page > 0 && asked.PageToken === undefined ? address(asked.Page - 1) : null,
    url: address(asked.Page, asked.PageToken),
    next_page_url: nextToken === undefined ? null : address(asked.Page + 1, nextToken || undefined),
    key,
  };
  return { [key]: rows, meta };
}

/** A page of a list that is so short that it was read as a whole. */
export function pageOfWhole(call: TwilioCall, key: string, all: readonly object[]): object {
  const { Page, PageSize } = pageAsked(call);
  const from = Page * PageSize;
  const isMore = all.length > from + PageSize;
  return pageOf(call, { key, rows: all.slice(from, from + PageSize), nextToken: isMore ? '' : undefined });
}

const resourceOf = ({ request }: TwilioCall): string => {
  const path = pathOf(request);
  return path.slice(path.indexOf('/v2/'));
};
