import type { Channel } from '@sixdigit/contract/channels.ts';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../ui/CopyButton.tsx';
import { fullDateTime } from '../ui/dates.ts';
import { MailFrame } from '../ui/MailFrame.tsx';
import { RecipientText } from '../ui/RecipientText.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import { CHANNELS_SHOWN } from './channel.ts';
import classes from './MessageCard.module.css';

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
    <article className={classes.message} aria-label={`${label} to ${message.recipient}`}>
      <div className={classes.head}>
        <Icon size={20} stroke={1.75} aria-label={label} role="img" />
        <strong>
          {message.channel === 'email' ? message.recipient : <RecipientText recipient={message.recipient} />}
        </strong>
        <time dateTime={message.created_at}>{fullDateTime(message.created_at)}</time>
      </div>
      {message.code ? (
        <div className={classes.code}>
          <span>{message.code}</span>
          <CopyButton value={message.code} label="Copy code" withText />
        </div>
      ) : null}
      {message.subject ? <p className={classes.subject}>{message.subject}</p> : null}
      {message.html ? (
        <SegmentedControl
          size="xs"
          aria-label="Show as"
          className={classes.views ?? ''}
          value={view}
          onChange={(chosen) => setView(chosen as 'text' | 'html')}
          data={[
            { value: 'text', label: 'Text' },
            { value: 'html', label: 'As mailed' },
          ]}
        />
      ) : null}
      {view === 'html' && message.html ? (
        <div className={classes.mail}>
          <MailFrame html={message.html} title={`Email to ${message.recipient}`} />
        </div>
      ) : (
        message.text !== null && <p className={classes.text}>{message.text}</p>
      )}
      {foot ? <div className={classes.foot}>{foot}</div> : null}
    </article>
  );
}
