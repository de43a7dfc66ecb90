import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { Finder, FinderDialog } from '../../ui/Finder.tsx';
import { useCommands } from './useCommands.ts';

export interface PaletteProps {
  opened: boolean;
  onClose: () => void;
  openHelp: () => void;
}

const NAME = 'Search and commands';

/** Finds pages and actions, and verifications and requests by id or recipient. */
export const CommandPalette = ({ opened, ...props }: PaletteProps) => (
  <FinderDialog opened={opened} onClose={props.onClose} label={NAME}>
    <Palette {...props} />
  </FinderDialog>
);

/** Recipients and ids are looked up from three characters on. */
const nothingFor = (text: string): string =>
  text.length < 3
    ? 'Type at least three characters of a recipient or an id.'
    : 'No page, action, recipient or id matches.';

const TYPING_MS = 250;

function Palette({ onClose, openHelp }: Omit<PaletteProps, 'opened'>) {
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), TYPING_MS);
  const { groups, isSearching } = useCommands({ text: text.trim(), settled, openHelp });
  return (
    <Finder
      label={NAME}
      placeholder="Page, action, recipient or id"
      text={text}
      onText={setText}
      groups={groups}
      isSearching={isSearching}
      note={isSearching || text.trim() !== settled ? 'Searching...' : nothingFor(text.trim())}
      onClose={onClose}
    />
  );
}
