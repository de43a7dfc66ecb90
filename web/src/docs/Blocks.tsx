import { Anchor } from '@mantine/core';
import type { Block, Text } from '@sixdigit/contract/docs/chapter.ts';
import { headingOf, piecesOf } from '@sixdigit/contract/docs/text.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { StatusCode } from '../ui/Badge.tsx';
import { PageLink } from '../ui/links.tsx';
import { FieldTable, RefusalTable, ScrollingTable } from './Chapter.tsx';
import { SendPrices } from './SendPrices.tsx';

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
      return <SendPrices />;
  }
}

const Method = ({ route }: { route: Route }) => (
  <strong className="font-mono text-[0.85em] text-accent">{route.method}</strong>
);

const Inline = ({ text }: { text: Text }) =>
  piecesOf(text).map((piece) => {
    if (piece.kind === 'plain') return piece.text;
    if (piece.kind === 'code') return <code key={piece.text}>{piece.text}</code>;
    if (piece.kind === 'strong') return <strong key={piece.text}>{piece.text}</strong>;
    return (
      <Target key={piece.text} to={piece.target}>
        {piece.text}
      </Target>
    );
  });

/** A link to a page of the dashboard, such as `/protection#spend`, or to another site. */
function Target({ to, children }: { to: string; children: string }) {
  if (!to.startsWith('/'))
    return (
      <Anchor href={to} target="_blank" rel="noreferrer" inherit>
        {children}
      </Anchor>
    );
  const { pathname, search, hash } = new URL(to, window.location.origin);
  // A test compares these targets with the dashboard's pages.
  const page = {
    to: pathname as '/docs',
    search: Object.fromEntries(new URLSearchParams(search)) as object,
    ...(hash ? { hash: hash.slice(1) } : {}),
  };
  return <PageLink {...page}>{children}</PageLink>;
}
