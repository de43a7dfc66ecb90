import { createFileRoute } from '@tanstack/react-router';
import { OperatorProtection } from '../../../operator/OperatorProtection.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { titled } from '../../../shell/title.ts';

export const Route = createFileRoute('/_app/operator/protection')({
  head: titled(operatorPages.protection),
  component: OperatorProtection,
});
