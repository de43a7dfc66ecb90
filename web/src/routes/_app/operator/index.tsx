import { createFileRoute } from '@tanstack/react-router';
import { Overview } from '../../../operator/Overview.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { titled } from '../../../shell/title.ts';

export const Route = createFileRoute('/_app/operator/')({
  head: titled(operatorPages.overview),
  component: Overview,
});
