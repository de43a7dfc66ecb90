import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { type Action, useRefusal } from './role.ts';

/** A screen that some roles may not open. Menus do not show it to them, but its address may be shared. */
export function ForRole({ to, title, children }: { to: Action; title: string; children: ReactNode }) {
  const refusal = useRefusal()(to);
  if (!refusal) return children;
  return (
    <>
      <PageHeading title={title} />
      <EmptyState icon={<IconLock size={24} />} title="Your role cannot open this page">
        {refusal}. Ask an owner or admin of the account.
      </EmptyState>
    </>
  );
}
