import type { IconKey } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** One line of the palette. */
export interface Command {
  id: string;
  label: string;
  /** shown in a softer colour after the label */
  detail?: ReactNode;
  /** other words that find it */
  words?: string;
  Icon: typeof IconKey;
  run: () => void;
}

export interface Group {
  title: string;
  commands: readonly Command[];
}

/** The commands that contain every word of the text. Those whose label begins with it come first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ label }: Command): number => (label.toLowerCase().startsWith(words.join(' ')) ? 0 : 1);
  return commands
    .filter(({ label, words: others = '' }) => {
      const all = `${label} ${others}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .sort((one, other) => rank(one) - rank(other));
}
