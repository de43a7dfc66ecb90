import { useEffect, useId, useState } from 'react';

/**
 * For a menu whose code is loaded by the first press of its button: the button is drawn anew with it. It gets the focus before the menu
 * opens, because the menu returns the focus to where it was.
 */
export function useFirstMenu() {
  const id = useId();
  const [opened, onChange] = useState(false);
  useEffect(() => {
    document.getElementById(`${id}-target`)?.focus({ preventScroll: true });
    onChange(true);
  }, [id]);
  return { id, opened, onChange };
}
