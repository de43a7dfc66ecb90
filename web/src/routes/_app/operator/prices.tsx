import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { Prices } from '../../../operator/prices/Prices.tsx';

export const Route = createFileRoute('/_app/operator/prices')({
  head: titled(operatorPages.prices),
  component: Prices,
});
