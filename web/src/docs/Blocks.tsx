import type { Block } from '@sixdigit/contract/docs/chapter.ts';
import { headingOf } from '@sixdigit/contract/docs/text.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { Suspense } from 'react';
import { StatusCode } from '../ui/Badge.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { FieldTable, RefusalTable, ScrollingTable } from './Chapter.tsx';
import { Inline } from './Inline.tsx';
import { useHasPrices } from './send-cost.ts';

/** Blocks of a chapter. Each text occurs once in its part. */
export const Blocks = ({ blocks }: { blocks: readonly Block[] }) => (
  <>
    {blocks.map((block) => (
      <OneBlock
        key={JSON.stringify(typeof block === 'object' && 'route' in block ? block.kind : block)}
        block={block}
      />
    ))}
  </>
);

function OneBlock({ block }: { block: Block }) {
  if (typeof block === 'string') {
    const heading = headingOf(block);
    return heading === undefined ? (
      <p>
        <Inline text={block} />
      </p>
    ) : (
      <h3>{heading}</h3>
    );
  }
  if (!('kind' in block))
    return (
      <ul>
        {block.map((text) => (
          <li key={text}>
            <Inline text={text} />
          </li>
        ))}
      </ul>
    );
  switch (block.kind) {
    case 'table':
      return (
        <ScrollingTable label={block.label}>
          <thead>
            <tr>
              {block.headings.map((heading) => (
                <th key={heading} scope="col">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {block.rows.map(([name = '', ...cells]) => (
              <tr key={name}>
                <th scope="row">
                  <Inline text={name} />
                </th>
                {cells.map((cell) => (
                  <td key={cell}>
                    <Inline text={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </ScrollingTable>
      );
    case 'endpoint':
      return (
        <p className="text-16">
          <Method route={block.route} /> <code>{block.route.path}</code>
        </p>
      );
    case 'status':
      return (
        <p>
          <StatusCode status={block.status} /> <Inline text={block.text} />
        </p>
      );
    case 'fields':
      return <FieldTable label={block.label} fields={block.fields} />;
    case 'refusals':
      return <RefusalTable label={block.label} refusals={block.refusals} />;
    case 'calls':
      return (
        <dl className="m-0 grid gap-3">
          {block.routes.map((route) => (
            <div key={route.name}>
              <dt>
                <Method route={route} /> <code>{route.path.replace(/:(\w+)/g, '{$1}')}</code>
              </dt>
              <dd className="m-0 mt-[0.1rem] text-ink-soft">{route.summary}.</dd>
            </div>
          ))}
        </dl>
      );
    case 'prices':
      return <Prices />;
  }
}

/** Loaded where sends do not all cost one credit. */
const SendPrices = lazyPart(async () => (await import('./SendPrices.tsx')).SendPrices);

const Prices = () =>
  useHasPrices() ? (
    <Suspense>
      <SendPrices />
    </Suspense>
  ) : null;

const Method = ({ route }: { route: Route }) => (
  <strong className="font-mono text-[0.85em] text-accent">{route.method}</strong>
);
