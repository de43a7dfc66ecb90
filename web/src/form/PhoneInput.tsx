import { TextInput } from '@mantine/core';
import { lazy, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { isNorthAmericanOnly, type PhoneInputProps, PhoneWarning } from './phone-field.tsx';
import { type Edit, editPhone, PHONE_LENGTH, pastePhone, phoneWarning } from './phone-text.ts';

const FOREIGN = 'Only US and Canadian numbers can be used here.';

/** A US or Canadian number after a fixed +1, formatted while it is typed. */
function NorthAmericanPhoneInput({
  value = '',
  onChange,
  error,
  isOfAnyCountry: _,
  ...props
}: PhoneInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const caret = useRef<number>(undefined);
  const [isForeign, setForeign] = useState(false);

  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });

  const [, rerender] = useState(0);
  const apply = (edit: Edit): void => {
    caret.current = edit.caret;
    setForeign(false);
    onChange(edit.value);
    // Restores the caret also if the value stays the same.
    rerender((count) => count + 1);
  };
  const warning = isForeign ? FOREIGN : phoneWarning(value);

  return (
    <div>
      <TextInput
        type="tel"
        inputMode="tel"
        autoComplete="tel-national"
        placeholder="(555) 123-4567"
        leftSection={<span className="text-ink-soft tabular-nums">+1</span>}
        leftSectionWidth={42}
        {...props}
        ref={input}
        error={error}
        value={value}
        onChange={({ currentTarget, nativeEvent }) =>
          apply(
            editPhone(
              value,
              currentTarget.value,
              currentTarget.selectionStart ?? currentTarget.value.length,
              (nativeEvent as InputEvent).inputType,
            ),
          )
        }
        onPaste={(event) => {
          // maxLength would cut a pasted +1 555… before the handler reads it.
          event.preventDefault();
          const { selectionStart, selectionEnd } = event.currentTarget;
          const pasted = event.clipboardData.getData('text');
          const edit = pastePhone(value, pasted, selectionStart ?? 0, selectionEnd ?? value.length);
          if (edit) apply(edit);
          else setForeign(true);
        }}
        maxLength={PHONE_LENGTH}
      />
      <PhoneWarning>{error ? null : warning}</PhoneWarning>
    </div>
  );
}

/** Loaded only where it is used, because it brings the numbering plans of all countries. */
const InternationalPhoneInput = lazy(async () => ({
  default: (await import('./InternationalPhoneInput.tsx')).InternationalPhoneInput,
}));

/** A phone number. The value is the text in the field. */
export const PhoneInput = (props: PhoneInputProps) =>
  isNorthAmericanOnly() && !props.isOfAnyCountry ? (
    <NorthAmericanPhoneInput {...props} />
  ) : (
    <Suspense
      fallback={
        // on phones, the country is in a row of its own
        <TextInput className="max-sm:mb-13" disabled label={props.label} description={props.description} />
      }
    >
      <InternationalPhoneInput {...props} />
    </Suspense>
  );
