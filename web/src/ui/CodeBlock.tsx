import { useEffect, useRef, useState } from 'react';
import classes from './CodeBlock.module.css';
import { CopyButton } from './CopyButton.tsx';
import type { Language } from './highlight.ts';

interface Props {
  code: string;
  /** language to highlight; leave out for one-line commands, which need no highlighter */
  language?: Language;
  /** label for screen readers: 'Send OTP in Python' */
  label: string;
}

/** Code with a copy button. The highlighter loads when the code comes onto the screen, and nothing waits for it. */
export function CodeBlock({ code, language, label }: Props) {
  const [coloured, setColoured] = useState<{ code: string; html: string }>();
  const block = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!language || !block.current) return;
    let isCurrent = true;
    const colour = () =>
      import('./highlight.ts')
        .then(({ highlight }) => highlight(code, language))
        .then(
          (html) => {
            if (isCurrent) setColoured({ code, html });
          },
          (cause: unknown) => console.error(cause),
        );
    const near = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      near.disconnect();
      void colour();
    });
    near.observe(block.current);
    return () => {
      isCurrent = false;
      near.disconnect();
    };
  }, [code, language]);

  return (
    <div className={classes.block} ref={block}>
      <div className={classes.copy}>
        <CopyButton value={code} label="Copy code" withToast />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.scroll} tabIndex={0} aria-label={label}>
        <pre className={classes.pre}>
          {coloured?.code === code ? (
            // biome-ignore lint/security/noDangerouslySetInnerHtml: the highlighter escapes its input
            <code dangerouslySetInnerHTML={{ __html: coloured.html }} />
          ) : (
            <code>{code}</code>
          )}
        </pre>
      </section>
    </div>
  );
}
