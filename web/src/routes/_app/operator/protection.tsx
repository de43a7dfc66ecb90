import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { OperatorProtection } from '../../../operator/settings/OperatorProtection.tsx';

export const Route = createFileRoute('/_app/operator/protection')({
  head: titled(operatorPages.protection),
  component: OperatorProtection,
});
