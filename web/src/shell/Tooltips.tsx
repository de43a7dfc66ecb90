import { FloatingDelayGroup } from '@floating-ui/react';
import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

/** Tooltips open after 700 ms; within 300 ms of another one at once. The library's own group has no such skip. */
export const Tooltips = ({ children }: { children: ReactNode }) => (
  <Tooltip.Group openDelay={700} closeDelay={0}>
    <FloatingDelayGroup delay={{ open: 700, close: 0 }} timeoutMs={300}>
      {children}
    </FloatingDelayGroup>
  </Tooltip.Group>
);
