import type { Choice } from '../../ui/Finder.tsx';

/** A page or an action. */
export interface Command extends Choice {
  /** more search words */
  words?: string;
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
