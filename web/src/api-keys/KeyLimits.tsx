import { Textarea, TextInput } from '@mantine/core';
import type { BodyForm } from '../form/Form.tsx';
import { DAY_MS, MomentInput } from '../form/MomentInput.tsx';
import classes from './KeySettings.module.css';

const EXPIRIES = [7, 30, 90, 365].map((days) => ({
  label: days === 365 ? 'In a year' : `In ${days} days`,
  ms: days * DAY_MS,
}));

interface Props {
  // biome-ignore lint/suspicious/noExplicitAny: the forms differ in their other fields and their response
  form: BodyForm<any, any>;
  thing: 'key' | 'connection';
  /** Sends cost nothing, so a credit limit has no meaning. */
  isFree: boolean;
}

/** Expiry, daily limit and networks of a key or a connection. */
export const KeyLimits = ({ form, thing, isFree }: Props) => (
  <>
    <div className={`${classes.pair} grid grid-cols-1 items-start gap-4`}>
      <MomentInput label="Expires" otherwise="Never" presets={EXPIRIES} {...form.field('expires_at')} />
      {isFree ? null : (
        <TextInput
          label="Daily credit limit"
          description="Per UTC day. Empty for no limit."
          inputMode="numeric"
          autoComplete="off"
          {...form.field('daily_credit_limit')}
        />
      )}
    </div>
    <Textarea
      label="Allowed networks"
      description={`IP addresses and networks that may use the ${thing}, one per line. Leave empty to allow every network.`}
      placeholder={'203.0.113.7\n198.51.100.0/24'}
      autosize
      minRows={2}
      maxRows={6}
      autoCapitalize="none"
      spellCheck={false}
      {...form.field('allowed_networks')}
    />
  </>
);
