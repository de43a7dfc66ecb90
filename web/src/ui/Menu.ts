import '@mantine/core/styles/Popover.layer.css';
import '@mantine/core/styles/Menu.layer.css';
import { type RefObject, useEffect, useRef, useState } from 'react';

export { Menu, Popover } from '@mantine/core';

/**
 * For a menu whose code the first press of its button loads. The menu brings a button of its own, which takes the place of the pressed
 * one. It gets the focus before the menu opens, so that closing the menu returns the focus to it.
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
