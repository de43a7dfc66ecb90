import { Skeleton, useComputedColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { BrandingBody, previewBranding, type updateBranding } from '@sixdigit/contract/accounts/branding.ts';
import type { Given } from '@sixdigit/contract/route.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { deployment } from '../api/deployment.ts';
import { keepPrevious, read } from '../api/read.ts';
import { MailFrame } from '../ui/MailFrame.tsx';
import { Panel } from '../ui/Panel.tsx';
import { QueryError } from '../ui/QueryError.tsx';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import classes from './Settings.module.css';

const DEBOUNCE_MS = 400;
type Body = Given<typeof updateBranding, 'body'>;

/** Only the fields that the mail depends on, so that typing in others sends no request. */
const mailOf = (body: Body): Body => ({
  sender_name: body.sender_name,
  reply_to_email: body.reply_to_email,
  default_subject: body.default_subject,
  default_message: body.default_message,
  default_otp_length: body.default_otp_length,
  default_expiry_seconds: body.default_expiry_seconds,
});

/** Previews the mail while the user types. While a field is invalid, the last valid preview stays. */
export function MailPreview({ body }: { body: Body }) {
  const parsed = BrandingBody.safeParse(mailOf(body));
  const [wanted] = useDebouncedValue(JSON.stringify(parsed.success ? mailOf(body) : null), DEBOUNCE_MS);
  const query = useQuery(
    read(
      previewBranding,
      { body: JSON.parse(wanted) as Body },
      { enabled: wanted !== 'null', staleTime: 60_000, ...keepPrevious },
    ),
  );
  const ownScheme = useComputedColorScheme('light');
  const [chosenScheme, setScheme] = useState<'light' | 'dark'>();
  const scheme = chosenScheme ?? ownScheme;
  const mail = query.data;
  return (
    <Panel
      title="Email Preview"
      description={
        parsed.success
          ? 'The email as your recipients get it.'
          : `Waiting for a field: ${parsed.error.issues[0]?.message}`
      }
      actions={
        <SegmentedControl
          size="xs"
          className="flex-none"
          aria-label="Colours of the mail program"
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
          <dl className={`${classes.mailHead} mt-0 mb-3.5 grid gap-x-4 gap-y-[0.2rem] text-14`}>
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
          {/* a frame inherits the colour scheme of its parent element */}
          <div className={classes.mail} style={{ colorScheme: scheme }}>
            <MailFrame html={mail.html} title="Email preview" />
          </div>
        </>
      ) : query.isError ? (
        <QueryError query={query} message="Failed to load the preview" />
      ) : (
        <Skeleton height={520} radius="md" />
      )}
    </Panel>
  );
}
