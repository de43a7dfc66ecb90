import type { ReactNode } from 'react';

const tones = { orange: 'bg-orange-soft text-on-orange-soft', gray: 'bg-gray-soft text-on-gray-soft' };

/** The names of the tones of announcements. */
export const TONES = { info: 'Information', warning: 'Warning' };

interface Props {
  /** for screen readers: 'Balance' */
  label: string;
  icon: ReactNode;
  children: ReactNode;
  tone?: keyof typeof tones;
  /** where to act on it */
  link?: ReactNode;
}

/** A strip above every screen. */
export const Banner = ({ label, icon, children, link, tone = 'orange' }: Props) => (
  <aside
    className={`flex items-center justify-center gap-2 px-4 py-[0.4rem] text-13 leading-[1.4] [&_svg]:flex-none ${tones[tone]}`}
    aria-label={label}
  >
    {icon}
    <span className="min-w-0 wrap-anywhere">
      {children}
      {link ? <span className="[&_a]:whitespace-nowrap [&_a]:text-inherit"> {link}</span> : null}
    </span>
  </aside>
);
