import { createFileRoute, type SearchSchemaInput, stripSearchParams } from '@tanstack/react-router';
import { titled } from '../frame/title.ts';
import { otherPages } from '../pages.ts';
import { Inbox } from '../public/Inbox.tsx';

export const Route = createFileRoute('/sandbox')({
  validateSearch: (raw: { recipient?: string } & SearchSchemaInput): { recipient: string } => ({
    recipient: raw.recipient === undefined ? '' : String(raw.recipient),
  }),
  search: { middlewares: [stripSearchParams({ recipient: '' })] },
  head: titled(otherPages.sandbox),
  component: Inbox,
});
