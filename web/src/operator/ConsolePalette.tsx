import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { PaletteProps } from '../frame/palette/CommandPalette.tsx';
import { Finder, FinderDialog } from '../ui/Finder.tsx';
import { useConsoleCommands } from './console-commands.ts';

const NAME = 'Search the console';
const TYPING_MS = 250;

/** Finds accounts, payments, console pages and actions. */
export const ConsolePalette = ({ opened, ...props }: PaletteProps) => (
  <FinderDialog opened={opened} onClose={props.onClose} label={NAME}>
    <Palette {...props} />
  </FinderDialog>
);

function Palette({ onClose, openHelp }: Omit<PaletteProps, 'opened'>) {
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), TYPING_MS);
  const { groups, isSearching, isFailed } = useConsoleCommands({ text: text.trim(), settled, openHelp });
  const isTyping = isSearching || text.trim() !== settled;
  return (
    <Finder
      label={NAME}
      placeholder="Account, payment, page or action"
      text={text}
      onText={setText}
      groups={groups}
      isSearching={isSearching}
      note={isTyping ? 'Searching...' : isFailed ? FAILED : NOTHING}
      onClose={onClose}
    />
  );
}

const FAILED = 'The search failed. Change the text to try again.';
const NOTHING = 'Nothing matches. Try a part of an address or a name, or a whole id.';
