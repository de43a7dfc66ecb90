import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type Action, useRefusal } from './role.ts';

/** Settings that everybody may read. Without the role to change them, their fields are disabled, and a line says why. */
export function Restricted({ to, children }: { to: Action; children: ReactNode }) {
  const refusal = useRefusal()(to);
  if (!refusal) return children;
  return (
    <>
      <p className="mt-0 mb-3 flex items-center gap-1.5 text-13 text-ink-soft">
        <IconLock size={16} stroke={1.75} aria-hidden className="flex-none" />
        Read only. {refusal}.
      </p>
      {/* Values stay easy to read. */}
      <fieldset
        disabled
        className="m-0 min-w-0 border-0 p-0 [&_[type=submit]]:hidden [&_input:disabled]:text-ink [&_input:disabled]:opacity-100 [&_textarea:disabled]:text-ink [&_textarea:disabled]:opacity-100"
      >
        {children}
      </fieldset>
    </>
  );
}
