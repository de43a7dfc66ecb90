import { Loader } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type IconKey, IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import classes from './Finder.module.css';
import { openDialog } from './focus-return.ts';
import { Modal } from './Modal.ts';
import { takeTyped } from './typed-ahead.ts';

/** One line of a finder. */
export interface Choice {
  /** if the label is not unique */
  id?: string;
  label: string;
  /** shown in a softer color after the label */
  detail?: ReactNode;
  /** shown below the label */
  excerpt?: string;
  /** the key that does the same without the finder */
  shortcut?: string;
  Icon: typeof IconKey;
  run: () => void;
}

const keyOf = ({ id, label }: Choice): string => (id ?? label).replaceAll(' ', '_');

export interface ChoiceGroup {
  title: string;
  choices: readonly Choice[];
}

export interface Asked {
  /** the typed text */
  text: string;
  /** the same after a pause, for a lookup */
  settled: string;
}

/** What a finder shows for a text. */
export interface Found {
  groups: readonly ChoiceGroup[];
  isSearching?: boolean;
  /** shown if there are no choices */
  note: string;
}

interface Props {
  opened: boolean;
  onClose: () => void;
  /** the name of the dialog and of its text field */
  label: string;
  placeholder: string;
  useChoices: (asked: Asked) => Found;
}

/** A dialog with a text field and the choices that match its text, all by keyboard. */
export function Finder({ opened, onClose, label, ...props }: Props) {
  useEffect(() => (opened ? openDialog() : undefined), [opened]);
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size="36rem"
      yOffset="min(12vh, 7rem)"
      returnFocus={false}
      classNames={{
        content: `${classes.content} flex flex-col overflow-hidden border border-line bg-surface`,
      }}
      transitionProps={{ transition: 'pop', duration: 100 }}
    >
      <Modal.Overlay backgroundOpacity={0.45} />
      <Modal.Content aria-label={label}>
        <Search onClose={onClose} label={label} {...props} />
      </Modal.Content>
    </Modal.Root>
  );
}

const TYPING_MS = 250;

/** Begins anew each time the finder opens. */
function Search({ onClose, label, placeholder, useChoices }: Omit<Props, 'opened'>) {
  const id = useId();
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), TYPING_MS);
  const [chosen, setChosen] = useState(0);
  const { groups: all, isSearching, note } = useChoices({ text: text.trim(), settled });
  const groups = all.filter((group) => group.choices.length > 0);
  const choices = groups.flatMap((group) => group.choices);
  const at = Math.min(chosen, Math.max(0, choices.length - 1));
  const optionId = (choice: Choice): string => `${id}-${keyOf(choice)}`;
  const active = choices[at];

  useEffect(() => {
    if (active) document.getElementById(`${id}-${keyOf(active)}`)?.scrollIntoView({ block: 'nearest' });
  }, [active, id]);

  const run = (choice: Choice): void => {
    onClose();
    choice.run();
  };
  const press = (event: KeyboardEvent): void => {
    const to = {
      ArrowDown: (at + 1) % choices.length,
      ArrowUp: (at - 1 + choices.length) % choices.length,
      PageDown: Math.min(at + 8, choices.length - 1),
      PageUp: Math.max(at - 8, 0),
    }[event.key];
    if (to !== undefined) setChosen(to);
    else if (event.key === 'Enter' && active && !event.nativeEvent.isComposing) run(active);
    else return;
    event.preventDefault();
  };

  return (
    <>
      <div className="flex flex-none items-center gap-3 border-b border-line px-4.5 text-ink-soft">
        {isSearching ? <Loader size={18} /> : <IconSearch size={18} stroke={1.75} aria-hidden />}
        <input
          data-autofocus
          className={`${classes.input} h-13 min-w-0 flex-1 border-0 bg-transparent text-16 text-ink`}
          role="combobox"
          aria-label={label}
          aria-expanded={choices.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={active ? optionId(active) : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          enterKeyHint="go"
          spellCheck={false}
          maxLength={200}
          placeholder={placeholder}
          value={text}
          onFocus={() => {
            const typed = takeTyped();
            if (typed !== '') setText(text + typed);
          }}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
        <Modal.CloseButton aria-label="Close" className="-me-2.5 hidden flex-none touch:flex" />
      </div>
      <div
        className={`${classes.list} overflow-y-auto px-1.5 pb-1.5 empty:hidden`}
        id={`${id}-list`}
        role="listbox"
        aria-label="Results"
      >
        {groups.map(({ title, choices: shown }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox
          <div key={title} role="group" aria-label={title}>
            <div
              className={`${classes.title} flex items-end px-3 pb-1 text-[0.78125rem] font-600 text-ink-soft`}
              aria-hidden="true"
            >
              {title}
            </div>
            {shown.map((choice) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keyboard
              <div
                key={keyOf(choice)}
                id={optionId(choice)}
                className={`${classes.choice} flex min-h-10 cursor-pointer items-center gap-3 rounded-8 px-3 py-1.5 text-ink touch:min-h-11`}
                role="option"
                aria-selected={choice === active}
                tabIndex={-1}
                onPointerMove={() => setChosen(choices.indexOf(choice))}
                onClick={() => run(choice)}
              >
                <choice.Icon
                  className={`flex-none ${choice === active ? '' : 'text-ink-soft'}`}
                  size={18}
                  stroke={1.75}
                  aria-hidden
                />
                <span className="min-w-0 truncate">
                  {/* Its direction is its own: a phone number begins with its plus. */}
                  <bdi>{choice.label}</bdi>
                  {choice.excerpt ? (
                    <span className="block truncate text-13 text-ink-soft">{choice.excerpt}</span>
                  ) : null}
                </span>
                {choice.detail ? (
                  <span className={`${classes.detail} ms-auto flex-none text-13 text-ink-soft`}>
                    {choice.detail}
                  </span>
                ) : null}
                {choice.shortcut ? (
                  <span className="ms-auto touch:hidden">
                    <Key>{choice.shortcut}</Key>
                  </span>
                ) : null}
              </div>
            ))}
          </div>
        ))}
      </div>
      {choices.length > 0 ? (
        <p
          className="m-0 flex h-9 flex-none items-center gap-5 border-t border-line px-4.5 text-13 text-ink-soft touch:hidden"
          aria-hidden="true"
        >
          <span className="flex items-center gap-1.5">
            <Key>↑</Key>
            <Key>↓</Key>
            Move
          </span>
          <span className="flex items-center gap-1.5">
            <Key>↵</Key>
            Open
          </span>
          <span className="flex items-center gap-1.5">
            <Key>Esc</Key>
            Close
          </span>
        </p>
      ) : null}
      <p className="m-0 px-4.5 py-6 text-center text-ink-soft empty:hidden" role="status">
        {choices.length > 0 ? '' : note}
      </p>
    </>
  );
}

const Key = ({ children }: { children: string }) => (
  <kbd className="rounded-4 border border-line bg-sunken px-1.5 py-0.25 text-12 text-ink-soft [font-family:inherit]">
    {children}
  </kbd>
);
