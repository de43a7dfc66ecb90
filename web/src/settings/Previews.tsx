import { Skeleton, useComputedColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { BrandingBody, previewBranding, type updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import { CODE_LENGTH, DEFAULT_MESSAGE } from '@sixdigit/contract/code-message.ts';
import type { SendPrice } from '@sixdigit/contract/prices.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { sendPriceOf } from '@sixdigit/contract/send-prices.ts';
import { anyCode, renderSms, smsSize, smsTooLong } from '@sixdigit/contract/text/sms-segments.ts';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { deployment } from '../api/deployment.ts';
import { keepPrevious, read } from '../api/read.ts';
import { prices } from '../payments/price-list.ts';
import { priceText } from '../payments/send-prices.ts';
import { QueryError } from '../ui/Loaded.tsx';
import { MailFrame } from '../ui/MailFrame.tsx';
import { Panel } from '../ui/Panel.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import classes from './Settings.module.css';

const DEBOUNCE_MS = 400;
type Body = Given<typeof updateBranding, 'body'>;

export const Previews = ({ body }: { body: Body }) => (
  <div className={`${classes.previews} grid grid-cols-1 gap-5`}>
    <PhonePreview body={body} />
    <MailPreview body={body} />
  </div>
);

/** Renders the messages while the user types. While a field is invalid, the last valid preview stays. */
function useRendered(body: Body) {
  const parsed = BrandingBody.safeParse(mailOf(body));
  const [wanted] = useDebouncedValue(JSON.stringify(parsed.success ? mailOf(body) : null), DEBOUNCE_MS);
  const query = useQuery(
    read(
      previewBranding,
      { body: JSON.parse(wanted) as Body },
      { enabled: wanted !== 'null', staleTime: 60_000, ...keepPrevious },
    ),
  );
  return { query, problem: parsed.error?.issues[0]?.message };
}

/** Loads when the user selects it. */
const VoicePreview = lazy(async () => ({ default: (await import('./VoicePreview.tsx')).VoicePreview }));

const PHONE_CHANNELS = [
  { value: 'sms', label: 'SMS' },
  { value: 'voice', label: 'Voice' },
];

function PhonePreview({ body }: { body: Body }) {
  const offered = PHONE_CHANNELS.filter(({ value }) => deployment().channels.some((one) => one === value));
  const [chosen, choose] = useState(offered[0]?.value);
  const { query } = useRendered(body);
  if (!chosen) return null;
  const isSms = chosen === 'sms';
  const codeLength = body.default_otp_length ?? CODE_LENGTH.default;
  return (
    <Panel
      title={isSms ? 'SMS preview' : 'Voice preview'}
      description={
        isSms ? (
          <SmsDescription />
        ) : (
          'The text of the call. It is fixed, because calls spell out the code. Calls have fewer languages than messages.'
        )
      }
      actions={
        offered.length > 1 ? (
          <SegmentedControl
            size="xs"
            className="flex-none"
            aria-label="Phone channel"
            value={chosen}
            onChange={choose}
            data={offered}
          />
        ) : null
      }
    >
      {isSms ? (
        <SmsPreview
          template={query.data?.sms ?? (body.default_message || DEFAULT_MESSAGE)}
          codeLength={codeLength}
        />
      ) : (
        <Suspense>
          <VoicePreview script={query.data?.call ?? []} />
        </Suspense>
      )}
    </Panel>
  );
}

/** Only the fields that the email depends on, so that typing in others sends no request. */
const mailOf = (body: Body): Body => ({
  sender_name: body.sender_name,
  reply_to_email: body.reply_to_email,
  default_subject: body.default_subject,
  default_message: body.default_message,
  default_language: body.default_language,
  default_otp_length: body.default_otp_length,
  default_expiry_seconds: body.default_expiry_seconds,
});

function MailPreview({ body }: { body: Body }) {
  const { query, problem } = useRendered(body);
  const ownScheme = useComputedColorScheme('light');
  const [chosenScheme, setScheme] = useState<'light' | 'dark'>();
  const scheme = chosenScheme ?? ownScheme;
  const mail = query.data;
  return (
    <Panel
      title="Email preview"
      description={
        problem === undefined
          ? 'The email as your recipients see it.'
          : `Correct this field first: ${problem}`
      }
      actions={
        <SegmentedControl
          size="xs"
          className="flex-none"
          aria-label="Email color scheme"
          value={scheme}
          onChange={(chosen) => setScheme(chosen as 'light' | 'dark')}
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
      }
    >
      {mail ? (
        <>
          <dl className={`${classes.mailHead} mt-0 mb-3.5 grid gap-x-4 text-14`}>
            <dt className="text-ink-soft">From</dt>
            <dd className="m-0 wrap-anywhere">{body.sender_name?.trim() || deployment().brand_name}</dd>
            {body.reply_to_email?.trim() ? (
              <>
                <dt className="text-ink-soft">Reply to</dt>
                <dd className="m-0 wrap-anywhere">{body.reply_to_email}</dd>
              </>
            ) : null}
            <dt className="text-ink-soft">Subject</dt>
            <dd className="m-0 font-600 wrap-anywhere">{mail.subject}</dd>
          </dl>
          {/* a frame inherits the color scheme of its parent element */}
          <div className={classes.mail} style={{ colorScheme: scheme }}>
            <MailFrame html={mail.html} title="Email preview" />
          </div>
        </>
      ) : query.isError ? (
        <QueryError query={query} message="Failed to load the preview" />
      ) : (
        <Skeleton height={548} radius="md" />
      )}
    </Panel>
  );
}

/** A send costs the same at any length, unless the operator charges each segment. */
function costText(sends: readonly SendPrice[]): string {
  const price = sendPriceOf(sends, { channel: 'sms', country: null });
  return `Each send costs ${priceText(price)}${price.unit === 'segment' ? '' : ', regardless of its length'}.`;
}

function SmsDescription() {
  const { data } = useQuery(prices);
  return <>The exact text of the message. {data && costText(data.sends)}</>;
}

interface Props {
  template: string;
  codeLength: number;
}

/** Previews the text that recipients receive and its number of segments, while the user types. */
function SmsPreview({ template, codeLength }: Props) {
  const text = renderSms(template, '12345678'.slice(0, codeLength));
  const { characters, encoding, segments } = smsSize(text);
  // The longest code must fit too, because the code length can change without the message.
  const problem = smsTooLong(renderSms(template, anyCode(CODE_LENGTH.max)), deployment().sms_max_segments);
  return (
    <>
      <p className="mt-0 mb-3.5 max-w-96 rounded-16 rounded-bl-4 bg-sunken px-3.5 py-2.5 text-15 wrap-anywhere whitespace-pre-wrap">
        {text}
      </p>
      <dl className="m-0 flex flex-wrap gap-x-8 gap-y-2 text-14" aria-label="SMS size">
        <Size name="Characters">{characters}</Size>
        <Size name="Encoding">{encoding}</Size>
        <Size name="Segments" isOver={problem !== undefined}>
          {segments} (at most {deployment().sms_max_segments})
        </Size>
      </dl>
      <p className="mt-3 mb-0 text-14 wrap-anywhere text-error empty:mt-0" role="status">
        {problem}
      </p>
    </>
  );
}

const Size = ({ name, isOver, children }: { name: string; isOver?: boolean; children: ReactNode }) => (
  <div>
    <dt className="text-13 text-ink-soft">{name}</dt>
    <dd className={`m-0 tabular-nums ${isOver ? 'font-600 text-error' : ''}`}>{children}</dd>
  </div>
);
