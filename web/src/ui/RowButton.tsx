import type { ReactNode } from 'react';

interface Props {
  onClick: () => void;
  /** for screen readers, if several rows have the same text */
  label?: string;
  children: ReactNode;
}

/** A quiet button in a row. A plain element, because tables render many. */
export const RowButton = ({ onClick, label, children }: Props) => (
  <button
    type="button"
    aria-label={label}
    className="h-6.5 cursor-pointer rounded-8 border-0 bg-transparent px-2 text-14 font-600 whitespace-nowrap text-on-gray-soft hover:bg-(--mantine-color-gray-light-hover) pointer-coarse:h-11 pointer-coarse:px-3.5"
    onClick={onClick}
  >
    {children}
  </button>
);
