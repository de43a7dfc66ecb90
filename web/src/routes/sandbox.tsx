import { createFileRoute, type SearchSchemaInput, stripSearchParams } from '@tanstack/react-router';
import { otherPages } from '../pages.ts';
import { Inbox } from '../sandbox/Inbox.tsx';
import { titled } from '../shell/title.ts';

export const Route = createFileRoute('/sandbox')({
  validateSearch: (raw: { recipient?: string } & SearchSchemaInput): { recipient: string } => ({
    recipient: raw.recipient === undefined ? '' : String(raw.recipient),
  }),
  search: { middlewares: [stripSearchParams({ recipient: '' })] },
  head: titled(otherPages.sandbox),
  component: Inbox,
});
