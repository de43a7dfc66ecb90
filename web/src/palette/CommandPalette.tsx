import { Loader, Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { openDialog } from '../ui/focus-return.ts';
import classes from './CommandPalette.module.css';
import type { Command } from './commands.ts';
import { useCommands } from './useCommands.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  openHelp: () => void;
}

/** Pages, actions, and verifications and requests by id or recipient, all by keyboard. */
export function CommandPalette({ opened, onClose, openHelp }: Props) {
  useEffect(() => (opened ? openDialog() : undefined), [opened]);
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size="36rem"
      yOffset="min(12vh, 7rem)"
      returnFocus={false}
      classNames={{ content: classes.content ?? '' }}
      transitionProps={{ transition: 'pop', duration: 100 }}
    >
      <Modal.Overlay backgroundOpacity={0.45} blur={2} />
      <Modal.Content aria-label="Search and commands">
        <Palette onClose={onClose} openHelp={openHelp} />
      </Modal.Content>
    </Modal.Root>
  );
}

/** Part of a recipient or of an id is looked up from three characters on. */
const nothingFor = (text: string): string =>
  text.length < 3 ? 'Type at least three characters of a recipient or an id.' : 'Nothing found.';

const TYPING_MS = 250;

/** Mounted anew each time the palette opens, so it always starts empty. */
function Palette({ onClose, openHelp }: Omit<Props, 'opened'>) {
  const id = useId();
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), TYPING_MS);
  const [chosen, setChosen] = useState(0);
  const { groups, isSearching } = useCommands({ text: text.trim(), settled, openHelp });
  const commands = groups.flatMap((group) => group.commands);
  const at = Math.min(chosen, Math.max(0, commands.length - 1));
  const optionId = (command: Command): string => `${id}-${command.id}`;
  const active = commands[at];

  useEffect(() => {
    if (active) document.getElementById(`${id}-${active.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [active, id]);

  const run = (command: Command): void => {
    onClose();
    command.run();
  };
  const press = (event: KeyboardEvent): void => {
    const to = {
      ArrowDown: (at + 1) % commands.length,
      ArrowUp: (at - 1 + commands.length) % commands.length,
      PageDown: Math.min(at + 8, commands.length - 1),
      PageUp: Math.max(at - 8, 0),
    }[event.key];
    if (to !== undefined) setChosen(to);
    else if (event.key === 'Enter' && active && !event.nativeEvent.isComposing) run(active);
    else return;
    event.preventDefault();
  };

  return (
    <>
      <div className={classes.search}>
        {isSearching ? <Loader size={18} /> : <IconSearch size={18} stroke={1.75} aria-hidden />}
        <input
          data-autofocus
          className={classes.input}
          role="combobox"
          aria-label="Search and commands"
          aria-expanded={commands.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={active ? optionId(active) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          placeholder="Page, action, recipient, OTP or request id"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
      </div>
      <div className={classes.list} id={`${id}-list`} role="listbox" aria-label="Results">
        {groups.map(({ title, commands: shown }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox
          <div key={title} role="group" aria-label={title}>
            <div className={classes.title} aria-hidden="true">
              {title}
            </div>
            {shown.map((command) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keyboard
              <div
                key={command.id}
                id={optionId(command)}
                className={classes.command}
                role="option"
                aria-selected={command === active}
                tabIndex={-1}
                onPointerMove={() => setChosen(commands.indexOf(command))}
                onClick={() => run(command)}
              >
                <command.Icon size={18} stroke={1.75} aria-hidden />
                <span className={classes.label}>{command.label}</span>
                {command.detail ? <span className={classes.detail}>{command.detail}</span> : null}
              </div>
            ))}
          </div>
        ))}
      </div>
      <p className={classes.note} role="status">
        {commands.length > 0
          ? ''
          : isSearching || text.trim() !== settled
            ? 'Searching...'
            : nothingFor(text.trim())}
      </p>
    </>
  );
}
