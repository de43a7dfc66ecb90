import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { Audit } from '../../../operator/Audit.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { auditSearch } from '../../../operator/searches.ts';

export const Route = createFileRoute('/_app/operator/audit')({
  ...auditSearch.routing,
  head: titled(operatorPages.audit),
  component: Audit,
});
