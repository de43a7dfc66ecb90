import { createFileRoute } from '@tanstack/react-router';
import { Keys } from '../../../operator/Keys.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { keySearch } from '../../../operator/searches.ts';
import { titled } from '../../../shell/title.ts';
import { withOpened } from '../../../table/opened.ts';

export const Route = createFileRoute('/_app/operator/keys')({
  ...withOpened(keySearch.routing, 'dialog'),
  head: titled(operatorPages.keys),
  component: Keys,
});
