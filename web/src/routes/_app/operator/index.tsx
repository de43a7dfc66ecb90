import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { Overview } from '../../../operator/Overview.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';

export const Route = createFileRoute('/_app/operator/')({
  head: titled(operatorPages.overview),
  component: Overview,
});
