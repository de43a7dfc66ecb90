import { Input } from '@mantine/core';
import { codeText } from '@sixdigit/contract/text/digits.ts';
import { useEffect, useId, useRef, useState } from 'react';
import classes from './CodeInput.module.css';

interface Props {
  label: string;
  value?: string;
  onChange: (code: string) => void;
  error?: React.ReactNode;
  autoFocus?: boolean;
  /** called once when the sixth digit is entered */
  onComplete?: () => void;
  'data-path'?: string;
}

const slots = [0, 1, 2, 3, 4, 5] as const;

/**
 * Six drawn slots over one real input: only a single input works with every phone's code autofill and every password manager.
 * Accepts digits in any script and ignores separators.
 */
export function CodeInput({ label, value = '', onChange, error, autoFocus, onComplete, ...props }: Props) {
  const id = useId();
  useComplete(value, onComplete);
  const [isFocused, setFocused] = useState(false);
  // An input method for full-width digits starts over if its text changes during composition.
  const [composed, setComposed] = useState<string>();
  const shown = composed === undefined ? value : editedCode(value, composed);
  const caret = Math.min(shown.length, CODE_LENGTH - 1);
  return (
    <Input.Wrapper id={id} label={label} error={error}>
      <div className="relative my-[0.35rem]" data-error={error ? true : undefined}>
        <input
          {...props}
          id={id}
          // 16px: smaller makes phones zoom in
          className={`${classes.input} border-0 p-0 text-16`}
          type="text"
          inputMode="numeric"
          autoComplete="one-time-code"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: the code is the only input of the screen
          autoFocus={autoFocus}
          value={composed ?? value}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          onChange={({ currentTarget, nativeEvent }) => {
            if ((nativeEvent as InputEvent).isComposing) setComposed(currentTarget.value);
            else {
              setComposed(undefined);
              onChange(editedCode(value, currentTarget.value));
            }
          }}
          onCompositionEnd={({ currentTarget }) => {
            setComposed(undefined);
            onChange(editedCode(value, currentTarget.value));
          }}
          onFocus={(event) => {
            setFocused(true);
            // Typing replaces a whole code and continues a partial one.
            event.currentTarget.setSelectionRange(
              value.length === CODE_LENGTH ? 0 : CODE_LENGTH,
              CODE_LENGTH,
            );
          }}
          onBlur={() => setFocused(false)}
        />
        <div className={`${classes.slots} pointer-events-none grid gap-2`} aria-hidden="true">
          {slots.map((slot) => (
            <span
              key={slot}
              className={`grid h-13 place-items-center rounded-10 border bg-surface font-mono text-22 text-ink ${error ? 'border-error' : 'border-border data-active:border-accent'}`}
              data-active={(isFocused && slot === caret) || undefined}
            >
              {shown[slot] ?? ''}
            </span>
          ))}
        </div>
      </div>
    </Input.Wrapper>
  );
}

/** Each complete code counts once: after a refusal, the same digits wait for the button. */
function useComplete(value: string, onComplete: (() => void) | undefined): void {
  const last = useRef('');
  useEffect(() => {
    if (!/^\d{6}$/.test(value) || value === last.current) return;
    last.current = value;
    onComplete?.();
  }, [value, onComplete]);
}

const CODE_LENGTH = 6;

/** The code after an edit, from the browser's new text. A whole code replaces the digits before it. */
export function editedCode(before: string, text: string): string {
  const code = codeText(text);
  const start = code.length >= before.length + CODE_LENGTH ? before.length : 0;
  return code.slice(start, start + CODE_LENGTH);
}
