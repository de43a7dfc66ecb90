import { Anchor } from '@mantine/core';
import type { Text } from '@sixdigit/contract/docs/chapter.ts';
import { piecesOf } from '@sixdigit/contract/docs/text.ts';
import { PageLink } from '../ui/links.tsx';

/** Code of at most this many characters fits on a phone's line, so it does not break. */
const SHORT = 28;

/** A text with its code, strong words and links. */
export const Inline = ({ text }: { text: Text }) =>
  piecesOf(text).map((piece) => {
    if (piece.kind === 'plain') return piece.text;
    if (piece.kind === 'code')
      return (
        <code key={piece.text} className={piece.text.length <= SHORT ? 'whitespace-nowrap' : undefined}>
          {piece.text}
        </code>
      );
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
