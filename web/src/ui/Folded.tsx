import { type ReactNode, useState } from 'react';

interface Props {
  title: string;
  /** what is inside, for the closed row */
  about: string;
  /** opens it whatever the user has chosen */
  mustOpen?: boolean;
  /** its parts have frames of their own */
  hasPanels?: boolean;
  children: (isOpen: boolean) => ReactNode;
}

/** A framed part of a dialog or a screen that is closed at first. */
export function Folded({ title, about, mustOpen = false, hasPanels = false, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={hasPanels ? '' : 'rounded-10 border border-line'}
      open={isOpen || mustOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary
        className={`min-h-11 cursor-pointer rounded-10 px-3.5 py-2.5 text-14 font-550 marker:text-[0.75em] marker:text-ink-soft ${
          hasPanels ? 'border border-line bg-surface' : ''
        }`}
      >
        {title} <span className="font-400 text-ink-soft">· {about}</span>
      </summary>
      <div className={`grid grid-cols-1 ${hasPanels ? 'gap-5 pt-5' : 'gap-4 px-3.5 pt-1 pb-4'}`}>
        {children(isOpen)}
      </div>
    </details>
  );
}
