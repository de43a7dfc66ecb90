import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core';
import type { ButtonHTMLAttributes, Ref } from 'react';

interface Props
  extends ActionIconProps,
    Omit<ButtonHTMLAttributes<HTMLButtonElement>, keyof ActionIconProps | 'aria-label'> {
  /** for screen readers and in the tooltip */
  label: string;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with an icon only. Its tooltip says what it does. */
export const TipIcon = ({ label, ref, ...button }: Props) => (
  <Tooltip label={label}>
    <ActionIcon ref={ref ?? null} aria-label={label} {...button} />
  </Tooltip>
);
