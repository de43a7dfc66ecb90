import { useMemo } from 'react';
import { styleNonce } from '../theme/nonce.ts';

/**
 * Renders a mail in a sandboxed frame without scripts, origin or navigation, because its markup is untrusted. The frame inherits the
 * page's content security policy, so the mail's style sheet gets the page's nonce.
 */
export function MailFrame({ html, title }: { html: string; title: string }) {
  const framed = useMemo(() => html.replace(/<style(?=[\s>])/gi, `<style nonce="${styleNonce()}"`), [html]);
  return (
    <iframe
      className="block h-112 w-full rounded-8 border border-line bg-[#fff]"
      sandbox=""
      srcDoc={framed}
      title={title}
    />
  );
}
