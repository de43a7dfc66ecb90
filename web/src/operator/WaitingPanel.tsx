import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../ui/Panel.tsx';
import { Facts } from './Facts.tsx';
import classes from './Operator.module.css';
import { Row, Rows, RowText } from './Rows.tsx';

interface Props {
  title: string;
  description?: ReactNode;
  /** the names of its facts */
  facts?: readonly string[];
  isBig?: boolean;
  lastIsWide?: boolean;
  /** how many rows with details it usually has */
  rows?: number;
  /** each row ends with a button */
  hasButtons?: boolean;
  children?: ReactNode;
}

export const Bar = ({ width }: { width: string }) => (
  <Skeleton component="span" className={classes.bar} height={12} width={width} radius="xl" />
);

/** A panel that loads: its constant texts, with bars as high as the lines that will replace them. */
export const WaitingPanel = ({
  facts = [],
  rows = 0,
  hasButtons,
  isBig,
  lastIsWide,
  children,
  ...panel
}: Props) => (
  <Panel {...panel}>
    {facts.length > 0 ? (
      <Facts
        isBig={isBig}
        lastIsWide={lastIsWide}
        facts={Object.fromEntries(facts.map((name) => [name, <Bar key={name} width="4rem" />]))}
      />
    ) : null}
    {rows > 0 ? (
      <Rows>
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <Row key={row}>
            <RowText>
              <Bar width={`${35 + ((row * 17) % 30)}%`} />
              <small>
                <Bar width={`${55 + ((row * 11) % 30)}%`} />
              </small>
            </RowText>
            {hasButtons ? <Skeleton height={30} width="4.5rem" /> : null}
          </Row>
        ))}
      </Rows>
    ) : null}
    {children}
  </Panel>
);

/** Panels that load. `Loaded` announces it. */
export const WaitingPanels = ({ children }: { children: ReactNode }) => (
  <div className="grid grid-cols-1 gap-5" inert aria-hidden>
    {children}
  </div>
);
