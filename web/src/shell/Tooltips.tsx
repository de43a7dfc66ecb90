import { FloatingDelayGroup } from '@floating-ui/react';
import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

/** Tooltips open after 700 ms, or at once within 300 ms of another. Mantine's own group lacks this skip delay. */
export const Tooltips = ({ children }: { children: ReactNode }) => (
  <Tooltip.Group openDelay={700} closeDelay={0}>
    <FloatingDelayGroup delay={{ open: 700, close: 0 }} timeoutMs={300}>
      {children}
    </FloatingDelayGroup>
  </Tooltip.Group>
);
