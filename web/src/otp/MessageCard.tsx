import type { Channel } from '@sixdigit/contract/channels.ts';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../ui/CopyButton.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { MailFrame } from '../ui/MailFrame.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { CHANNELS_SHOWN } from './channel.ts';

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
  return (
    <article
      className="rounded-12 border border-line bg-surface px-5 pt-4 pb-5"
      aria-label={`${label} to ${message.recipient}`}
    >
      <div className="flex flex-wrap items-center gap-x-[0.6rem] gap-y-1">
        <Icon size={20} stroke={1.75} aria-label={label} role="img" className="text-accent" />
        <strong className="min-w-0 font-600 wrap-anywhere">
          {message.channel === 'email' ? message.recipient : <RecipientText recipient={message.recipient} />}
        </strong>
        <time className="ms-auto text-13 text-ink-soft max-sm:w-full" dateTime={message.created_at}>
          {fullDateTime(message.created_at)}
        </time>
      </div>
      {message.code ? (
        <div className="mt-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-10 bg-accent-soft py-[0.6rem] pr-[0.6rem] pl-4">
          <span className="font-mono text-24 font-600 text-accent" style={{ letterSpacing: '0.18em' }}>
            {message.code}
          </span>
          <CopyButton
            value={message.code}
            label="Copy code"
            detail={`to ${message.recipient}, ${fullDateTime(message.created_at)}`}
            withText
          />
        </div>
      ) : null}
      {message.subject ? <p className="mt-[0.85rem] mb-0 font-600">{message.subject}</p> : null}
      {message.html ? (
        <SegmentedControl
          aria-label="Show as"
          className="mt-3"
          value={view}
          onChange={(chosen) => setView(chosen as 'text' | 'html')}
          data={[
            { value: 'text', label: 'Text' },
            { value: 'html', label: 'As mailed' },
          ]}
        />
      ) : null}
      {view === 'html' && message.html ? (
        <div className="mt-3">
          <MailFrame html={message.html} title={`Email to ${message.recipient}`} />
        </div>
      ) : (
        message.text !== null && (
          <p className="mt-[0.6rem] mb-0 whitespace-pre-wrap wrap-anywhere">{message.text}</p>
        )
      )}
      {foot ? (
        <div className="mt-3.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line pt-3">
          {foot}
        </div>
      ) : null}
    </article>
  );
}
