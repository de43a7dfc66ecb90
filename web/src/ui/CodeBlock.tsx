import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import { useMemo } from 'react';
import classes from './CodeBlock.module.css';
import { CopyButton } from './CopyButton.tsx';

const languages = { bash, javascript, json, php, python };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

interface Props {
  code: string;
  language: keyof typeof languages;
  /** what it is, for screen readers: 'Send OTP in Python' */
  label: string;
}

/** Code with its colours and a copy button. Costs 15 kB: screens load it lazily, with their own chunk. */
export function CodeBlock({ code, language, label }: Props) {
  const html = useMemo(() => hljs.highlight(code, { language }).value, [code, language]);
  return (
    <div className={classes.block}>
      <div className={classes.copy}>
        <CopyButton value={code} label="Copy code" withToast />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a section cannot keep the lines as they are */}
      <pre className={classes.pre} tabIndex={0} role="region" aria-label={label}>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the highlighter escapes what it is given */}
        <code dangerouslySetInnerHTML={{ __html: html }} />
      </pre>
    </div>
  );
}
