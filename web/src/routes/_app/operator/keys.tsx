import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { Keys } from '../../../operator/access/Keys.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { keySearch } from '../../../operator/searches.ts';
import { withOpened } from '../../../ui/opened.ts';

export const Route = createFileRoute('/_app/operator/keys')({
  ...withOpened(keySearch.routing, 'dialog'),
  head: titled(operatorPages.keys),
  component: Keys,
});
