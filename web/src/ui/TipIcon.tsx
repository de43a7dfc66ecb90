import { ActionIcon, type ActionIconProps } from '@mantine/core';
import type { ButtonHTMLAttributes, Ref } from 'react';

interface Props
  extends ActionIconProps,
    Omit<ButtonHTMLAttributes<HTMLButtonElement>, keyof ActionIconProps | 'aria-label'> {
  /** for screen readers and in the tooltip */
  label: string;
  /** if it says more than the label */
  tip?: string;
  ref?: Ref<HTMLButtonElement>;
}

/** A button with an icon only, and its label as the tooltip. */
export const TipIcon = ({ label, tip = label, ref, ...button }: Props) => (
  <ActionIcon ref={ref ?? null} aria-label={label} data-tip={tip} {...button} />
);
