import { createFileRoute } from '@tanstack/react-router';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { Prices } from '../../../operator/Prices.tsx';
import { titled } from '../../../shell/title.ts';

export const Route = createFileRoute('/_app/operator/prices')({
  head: titled(operatorPages.prices),
  component: Prices,
});
