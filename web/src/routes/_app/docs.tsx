import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { Docs } from '../../docs/Docs.tsx';
import { docsDefaults, readDocsSearch } from '../../docs/docs-address.ts';
import { titled } from '../../frame/title.ts';
import { pages } from '../../pages.ts';

export const Route = createFileRoute('/_app/docs')({
  validateSearch: readDocsSearch,
  search: { middlewares: [stripSearchParams(docsDefaults)] },
  head: titled(pages.docs),
  component: Docs,
});
