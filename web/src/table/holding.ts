import { type FocusEvent, useMemo, useState } from 'react';

/** Whether the mouse or the keyboard's focus is on an element that spreads `holding`. A tap on a touch screen holds nothing. */
export function useHolding() {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const holding = useMemo(
    () => ({
      onPointerEnter: (event: { pointerType: string }) => setPointed(event.pointerType === 'mouse'),
      onPointerLeave: () => setPointed(false),
      onFocus: ({ target }: FocusEvent) => setFocused(target.matches(':focus-visible')),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) =>
        setFocused((before) => before && currentTarget.contains(relatedTarget)),
    }),
    [],
  );
  return { isHeld: isPointed || isFocused, holding };
}
