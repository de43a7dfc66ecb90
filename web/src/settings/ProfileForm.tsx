import { NativeSelect, type NativeSelectProps, TextInput, type TextInputProps } from '@mantine/core';
import { getMe, type Profile, updateProfile } from '@sixdigit/contract/accounts/accounts.ts';
import { PHONE_MESSAGE, REQUIRED } from '@sixdigit/contract/field.ts';
import { isTimeZone } from '@sixdigit/contract/local-time.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { profile, twoFactor } from '../accounts/settings.ts';
import { call } from '../api/call.ts';
import { invalidate, store } from '../api/read.ts';
import { signal } from '../api/signal.ts';
import { toast } from '../api/toast.ts';
import { Form, SaveButton, useBodyForm } from '../form/Form.tsx';
import { PhoneInput } from '../form/PhoneInput.tsx';
import { fieldOfPhone, isForeign, phoneOfField } from '../form/phone-value.ts';
import { followed, useUnsaved } from '../form/UnsavedChanges.tsx';
import { longDate, zoneOfBrowser } from '../ui/dates.ts';
import { Loaded } from '../ui/Loaded.tsx';
import { Panel } from '../ui/Panel.tsx';
import { PasswordInput } from '../ui/PasswordInput.ts';
import { FieldsWaiting } from './FieldsWaiting.tsx';
import classes from './Settings.module.css';

/** Longer than the screen takes to render. */
const LATER_MS = 400;

/** 'America/New York' */
const zoneText = (name: string): string => name.replaceAll('_', ' ');

const ofBrowser = (
  <>
    <option value="">Same as this browser ({zoneText(zoneOfBrowser())})</option>
    <option value="UTC">UTC</option>
  </>
);
const all = signal<React.JSX.Element>();
/** Over 400 options, created once. */
const allZones = (): React.JSX.Element => {
  const options = all.get() ?? (
    <>
      {ofBrowser}
      {zoneGroups().map(({ group, items }: ZoneGroup) => (
        <optgroup key={group} label={group}>
          {items.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </optgroup>
      ))}
    </>
  );
  all.set(options);
  return options;
};

/** The account's time zone. Adds the other zones after the screen has rendered. */
function ZoneSelect(props: NativeSelectProps) {
  const [isWhole, setWhole] = useState(all.get() !== undefined);
  useEffect(() => {
    const timer = setTimeout(() => setWhole(true), LATER_MS);
    return () => clearTimeout(timer);
  }, []);
  const chosen = String(props.value ?? '');
  const isListed = chosen === '' || chosen === 'UTC' || (isWhole && isOffered(chosen));
  return (
    <NativeSelect {...props} onFocus={() => setWhole(true)}>
      {isWhole ? allZones() : ofBrowser}
      {isListed ? null : <option value={chosen}>{zoneText(chosen)}</option>}
    </NativeSelect>
  );
}

export function ProfilePanel() {
  const query = useQuery(profile);
  return (
    <Panel title="Profile" description="Your name, your phone number and your time zone.">
      <Loaded
        query={query}
        failure="Failed to load your profile"
        waiting={<FieldsWaiting rows={[2, 1, 2, 1]} />}
      >
        {(loaded) => <ProfileForm kept={loaded} />}
      </Loaded>
    </Panel>
  );
}

/** A changed number requires the password, because it can receive sign-in codes. */
const schema = async () =>
  (await import('@sixdigit/contract/accounts/accounts.ts')).ProfileBody.refine(
    (body) => body.phone_number === undefined || body.current_password,
    {
      message: REQUIRED,
      path: ['current_password'],
    },
  );

const valuesOf = ({ first_name, last_name, phone_number, time_zone }: Profile) => ({
  first_name,
  last_name,
  phone_number: fieldOfPhone(phone_number),
  time_zone: time_zone ?? '',
  current_password: '',
});
type Values = ReturnType<typeof valuesOf>;

function ProfileForm({ kept }: { kept: Profile }) {
  const queryClient = useQueryClient();
  const { data: user } = useQuery(currentUser);
  const before = valuesOf(kept);
  const changed = (name: keyof Values, values: Values): boolean => values[name] !== before[name];

  const form = useBodyForm({
    schema,
    initialValues: before,
    // Sends untouched values unchanged.
    toBody: (values: Values) => ({
      ...(changed('first_name', values) && { first_name: values.first_name }),
      ...(changed('last_name', values) && { last_name: values.last_name }),
      ...(changed('time_zone', values) && { time_zone: values.time_zone || null }),
      ...(changed('phone_number', values) && {
        phone_number: phoneOfField(values.phone_number),
        current_password: values.current_password,
      }),
    }),
    whenEmpty: { phone_number: PHONE_MESSAGE },
    submit: (body) => call(updateProfile, { body }),
    failure: 'Failed to update profile',
    onSuccess: async (reply, sent) => {
      await store(queryClient, profile, reply);
      form.fields.setValues((now) => followed(now, sent, valuesOf(reply)));
      await Promise.all([invalidate(queryClient, getMe), queryClient.invalidateQueries(twoFactor)]);
      toast.success('Profile updated successfully');
    },
  });
  const { fields } = form;
  useUnsaved('Profile', form, before);
  const phone = {
    label: 'Phone number',
    description: user?.is_sso_session
      ? 'To change it, sign in with your password or passkey.'
      : 'Used for SMS OTP delivery and 2FA verification.',
    disabled: user?.is_sso_session ?? false,
    ...form.field('phone_number'),
  } satisfies TextInputProps;

  return (
    <Form form={form} label="Profile">
      <div className="grid grid-cols-2 items-start gap-4">
        <TextInput label="First name" autoComplete="given-name" {...form.field('first_name')} />
        <TextInput label="Last name" autoComplete="family-name" {...form.field('last_name')} />
      </div>
      <TextInput
        label="Email"
        type="email"
        value={kept.email}
        readOnly
        variant="filled"
        description="Email cannot be changed. Contact support if you need to update your email address."
      />
      <div className={`${classes.pair} grid items-start gap-4`}>
        <PhoneInput {...phone} isOfAnyCountry={isForeign(kept.phone_number)} />
        <ZoneSelect
          label="Time zone"
          description="Used for all times, days and charts in the dashboard."
          {...form.field('time_zone')}
        />
      </div>
      {changed('phone_number', fields.values) ? (
        <PasswordInput
          label="Current password"
          description="Required to change the phone number."
          autoComplete="current-password"
          {...form.field('current_password')}
        />
      ) : null}
      <dl
        className="m-0 flex flex-wrap gap-x-10 gap-y-2 rounded-10 border border-line bg-sunken px-4 py-3 text-14"
        aria-label="Account information"
      >
        <div>
          <dt className="text-13 text-ink-soft">Username</dt>
          <dd className="m-0 wrap-anywhere">{kept.username}</dd>
        </div>
        <div>
          <dt className="text-13 text-ink-soft">Member since</dt>
          <dd className="m-0 wrap-anywhere">{longDate(kept.created_at, 'N/A')}</dd>
        </div>
      </dl>
      <SaveButton form={form}>Save Changes</SaveButton>
    </Form>
  );
}

interface ZoneGroup {
  group: string;
  items: { value: string; label: string }[];
}

/** All zones by continent: 'America' with 'Argentina/Buenos Aires'. */
export function zoneGroups(): ZoneGroup[] {
  const names = Intl.supportedValuesOf('timeZone').filter(isTimeZone);
  const byContinent = Map.groupBy(names, (name) => name.split('/')[0] ?? name);
  return [...byContinent]
    .map(([group, names]) => ({
      group,
      items: names
        .filter((name) => name.includes('/'))
        .map((name) => ({ value: name, label: zoneText(name.slice(group.length + 1)) })),
    }))
    .filter(({ items }) => items.length > 0);
}

/** Browsers know some zones by different names, so the chosen one may be missing. */
export const isOffered = (zone: string): boolean =>
  zoneGroups().some(({ items }) => items.some(({ value }) => value === zone));
