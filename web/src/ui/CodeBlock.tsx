import { type ReactNode, useEffect, useState } from 'react';
import classes from './CodeBlock.module.css';
import { CopyButton } from './CopyButton.tsx';
import type { Language } from './highlight.ts';
import { useSeen } from './Near.tsx';

interface Props {
  code: string;
  /** language to highlight; leave out for one-line commands, which need no highlighter */
  language?: Language;
  /** label for screen readers: 'Send OTP in Python' */
  label: string;
  /** the copy button's name; default: 'Copy code: ' and the label */
  copyLabel?: string;
  /** above the code; default: the language's name */
  title?: string;
  /** breaks long lines instead of scrolling */
  isWrapped?: boolean;
}

const languageNames: Record<Language, string> = {
  bash: 'Shell',
  javascript: 'JavaScript',
  json: 'JSON',
  php: 'PHP',
  python: 'Python',
};

/** Code with a copy button. The highlighter loads when the code comes onto the screen, and nothing waits for it. */
export function CodeBlock({ code, language, label, copyLabel, title, isWrapped }: Props) {
  const [coloured, setColoured] = useState<{ code: string; html: string }>();
  const { ref, isSeen } = useSeen<HTMLDivElement>();
  useEffect(() => {
    // Commands need no colors, which would cost a highlighter on screens with nothing else.
    if (!language || language === 'bash' || !isSeen) return;
    let isCurrent = true;
    import('./highlight.ts')
      .then(({ highlight }) => highlight(code, language))
      .then(
        (html) => {
          if (isCurrent) setColoured({ code, html });
        },
        (cause: unknown) => console.error(cause),
      );
    return () => {
      isCurrent = false;
    };
  }, [code, language, isSeen]);

  // A single line wraps like commands, so that readers see the whole text before they paste it.
  const isLine = !code.includes('\n');
  const shownTitle = isLine ? undefined : (title ?? (language && languageNames[language]));
  const wraps = isWrapped || isLine || language === 'bash';
  return (
    <div
      className={`${shownTitle ? '' : 'flex items-start'} rounded-10 border border-line bg-sunken`}
      ref={ref}
    >
      <div
        className={`flex flex-none items-center justify-between p-1 text-13 text-ink-soft ${shownTitle ? 'border-b border-line ps-4' : 'order-1'}`}
      >
        {shownTitle ? <span>{shownTitle}</span> : null}
        <CopyButton value={code} label={copyLabel ?? `Copy code: ${label}`} withToast />
      </div>
      <div className={`${wraps ? '' : classes.wide} min-w-0 flex-1`}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section className="overflow-x-auto" tabIndex={0} aria-label={label}>
          <pre
            className={`${classes.pre} m-0 font-mono text-13 text-ink ${wraps ? 'whitespace-pre-wrap wrap-anywhere' : 'w-[max-content] min-w-full'}`}
          >
            {coloured?.code === code ? (
              // biome-ignore lint/security/noDangerouslySetInnerHtml: the highlighter escapes its input
              <code dangerouslySetInnerHTML={{ __html: coloured.html }} />
            ) : (
              <code>{wraps ? breakable(code) : code}</code>
            )}
          </pre>
        </section>
      </div>
    </div>
  );
}

const BREAKS = /(?<=:\/\/\S*[^/]\/)(?=\w)|(?<=,|":)(?=\S)|(?<=[^\s&]&|\w\+)(?=\w)|( \\)(?=\n)/;

/** Addresses, JSON and encoded forms break between their parts. A backslash that ends a line stays beside its word. */
export const breakable = (code: string): ReactNode =>
  code.split(BREAKS).map((part, at) => {
    if (at % 2 === 0) return part;
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the parts of a code have fixed places
    if (!part) return <wbr key={at} />;
    return (
      <span key={at} className="whitespace-nowrap">
        {part}
      </span>
    );
    // biome-ignore-end lint/suspicious/noArrayIndexKey: as above
  });
