import { type ReactNode, useState } from 'react';
import type { BodyForm } from './Form.tsx';

interface Props {
  // biome-ignore lint/suspicious/noExplicitAny: the forms differ in their other fields and their response
  form: BodyForm<any, any>;
  /** the names of the fields inside */
  names: readonly string[];
  /** what is inside, for the closed row */
  about: string;
  children: ReactNode;
}

/** Settings that a new thing rarely needs. They open by themselves if one of them has an error. */
export function AdvancedSettings({ form, names, about, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const hasHiddenError = names.some((name) => form.fields.errors[name] !== undefined);
  return (
    <details
      className="rounded-10 border border-line"
      open={isOpen || hasHiddenError}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="min-h-11 cursor-pointer rounded-10 px-3.5 py-2.5 text-14 font-550 marker:text-[0.75em] marker:text-ink-soft">
        Advanced <span className="font-400 text-ink-soft">{about}</span>
      </summary>
      <div className="grid grid-cols-1 gap-4 px-3.5 pt-1 pb-4">{children}</div>
    </details>
  );
}
