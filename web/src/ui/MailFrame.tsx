import { useMemo } from 'react';
import { styleNonce } from '../look/nonce.ts';
import classes from './MailFrame.module.css';

/**
 * A mail as its reader sees it. No scripts, no origin, no navigation: a mail is somebody else's markup. The frame
 * inherits the page's content security policy, so the mail's style sheet is given the page's nonce.
 */
export function MailFrame({ html, title }: { html: string; title: string }) {
  const framed = useMemo(() => html.replace(/<style(?=[\s>])/gi, `<style nonce="${styleNonce()}"`), [html]);
  return <iframe className={classes.mail} sandbox="" srcDoc={framed} title={title} />;
}
