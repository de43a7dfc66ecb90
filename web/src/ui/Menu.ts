import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Menu.layer.css';
import { type RefObject, useEffect, useRef, useState } from 'react';

export { Menu, Popover } from '@mantine/core';

/**
 * For a menu whose code loads when its button is first pressed. The menu has its own button, which replaces the pressed one and
 * gets the focus before the menu opens, so that closing the menu returns the focus to it.
 */
export function useOpenedAtFirst(): {
  button: RefObject<HTMLButtonElement | null>;
  menu: { opened: boolean; onChange: (opened: boolean) => void };
} {
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    button.current?.focus({ preventScroll: true });
    setOpened(true);
  }, []);
  return { button, menu: { opened, onChange: setOpened } };
}
