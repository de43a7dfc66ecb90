import type { Channel } from '@sixdigit/contract/channels.ts';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../ui/CopyButton.tsx';
import { CHANNELS_SHOWN } from '../ui/channel.ts';
import { fullDateTime } from '../ui/dates.ts';
import { MailFrame } from '../ui/MailFrame.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.ts';

export interface Message {
  channel: Channel;
  recipient: string;
  created_at: string;
  code: string | null;
  subject: string | null;
  /** null: hidden */
  text: string | null;
  html: string | null;
}

/** A message as it arrived, or would have arrived, with its code to copy. */
export function MessageCard({ message, foot }: { message: Message; foot?: ReactNode }) {
  const { message: label, Icon } = CHANNELS_SHOWN[message.channel];
  const [view, setView] = useState<'text' | 'html'>('text');
  const { code, subject, html } = message;
  const copy = code ? (
    <CopyButton
      value={code}
      label="Copy Code"
      detail={`to ${message.recipient}, ${fullDateTime(message.created_at)}`}
      withText
    />
  ) : null;
  const text = <Text message={message} />;
  return (
    <article
      className="rounded-12 border border-line bg-surface px-5 py-4"
      aria-label={`${label} to ${message.recipient}`}
    >
      <div className="flex flex-wrap items-center gap-x-[0.6rem] gap-y-1">
        <Icon size={20} stroke={1.75} aria-label={label} role="img" className="text-accent" />
        <strong className="min-w-0 font-600 wrap-anywhere">
          <RecipientText recipient={message.recipient} isWhole />
        </strong>
        <time className="ms-auto text-13 text-ink-soft max-sm:w-full" dateTime={message.created_at}>
          {fullDateTime(message.created_at)}
        </time>
      </div>
      {subject ? <p className="mt-3 mb-0 font-600 wrap-anywhere">{subject}</p> : null}
      {html || copy ? (
        <div className="mt-3 flex items-center justify-between gap-x-4">
          {html ? (
            <SegmentedControl
              aria-label="Show as"
              value={view}
              onChange={(chosen) => setView(chosen as 'text' | 'html')}
              data={[
                { value: 'text', label: 'Text' },
                { value: 'html', label: 'HTML' },
              ]}
            />
          ) : (
            <div className="min-w-0 flex-1">{text}</div>
          )}
          {copy}
        </div>
      ) : null}
      {view === 'html' && html ? (
        <div className="mt-3">
          <MailFrame html={html} title={`Email to ${message.recipient}`} />
        </div>
      ) : message.text !== null && (html || !copy) ? (
        <div className="mt-3">{text}</div>
      ) : null}
      {foot ? (
        <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line pt-3">
          {foot}
        </div>
      ) : null}
    </article>
  );
}

/** The text with its code marked. A text that does not contain the code is below it. */
function Text({ message: { text, subject, code } }: { message: Message }) {
  const shown = text === null ? '' : bodyOf(text, subject);
  const around = code ? aroundCode(shown, code) : undefined;
  const mark = (marked: string) => (
    <span
      className={`rounded-6 bg-accent-soft px-1.5 font-mono font-600 whitespace-nowrap text-accent ${marked.includes(' ') ? 'text-15' : 'text-18'}`}
    >
      {marked}
    </span>
  );
  return (
    <>
      {code && !around ? <p className="m-0">{mark(code)}</p> : null}
      {shown === '' ? null : (
        <p className="m-0 whitespace-pre-wrap wrap-anywhere">
          {around ? (
            <>
              {around.before}
              {mark(around.code)}
              {around.after}
            </>
          ) : (
            shown
          )}
        </p>
      )}
    </>
  );
}

/** The text without a first paragraph that its subject already says. */
export function bodyOf(text: string, subject: string | null): string {
  const end = text.indexOf('\n\n');
  const isRepeated = end > 0 && subject?.startsWith(text.slice(0, end));
  return isRepeated ? text.slice(end).trimStart() : text;
}

/** The text around its code, which a call reads digit by digit. Undefined if the text does not contain it. */
export function aroundCode(
  text: string,
  code: string,
): { before: string; code: string; after: string } | undefined {
  const shown = [code, [...code].join(', ')].find((one) => text.includes(one));
  if (shown === undefined) return undefined;
  const at = text.indexOf(shown);
  return { before: text.slice(0, at), code: shown, after: text.slice(at + shown.length) };
}
