import { listOperatorAccounts } from '@sixdigit/contract/operator/accounts.ts';
import {
  type AccountLimits,
  KEY_REQUESTS_PER_SECOND,
  updateAccountLimits,
} from '@sixdigit/contract/operator/limits.ts';
import type { OperatorSetting } from '@sixdigit/contract/operator/settings.ts';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { CountryChoice } from '../../form/CountryChoice.tsx';
import { DialogForm } from '../../form/FormDialog.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { countryName, countryNames } from '../../ui/display-names.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { NumberInput } from '../../ui/NumberInput.ts';
import { Switch } from '../../ui/Switch.ts';
import classes from '../Operator.module.css';
import { limitsOf } from '../operator.ts';
import { ReasonInput } from '../ReasonDialog.tsx';
import { settings } from '../settings/settings.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  id: string;
  email: string;
}

/** The operator's limits for one account. */
export const LimitsDialog = ({ opened, onClose, id, email }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    title="Change Limits"
    size="lg"
    description={`The limits of ${email} apply within a second. An empty field means the default.`}
  >
    {opened ? <Limits id={id} onClose={onClose} /> : null}
  </Dialog>
);

function Limits({ id, onClose }: Omit<Props, 'opened' | 'email'>) {
  const query = useQuery(limitsOf(id));
  const set = useQuery(settings);
  return (
    <Loaded query={query} failure="Failed to load the limits">
      {({ limits, version }) => (
        <Loaded query={set} failure="Failed to load the defaults">
          {(all) => (
            <LimitsForm
              id={id}
              limits={limits}
              version={version}
              defaults={defaultLimits(all)}
              onClose={onClose}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

const NUMBERS = {
  recipient_sends_per_10_min: 'Sends to a recipient per 10 minutes',
  recipient_sends_per_day: 'Sends to a recipient per day',
  daily_credit_limit: 'Credits per day',
  monthly_credit_limit: 'Credits per month',
  requests_per_second: 'Requests per second per key',
} as const satisfies Partial<Record<keyof AccountLimits, string>>;
type NumberName = keyof typeof NUMBERS;
const NAMES = Object.keys(NUMBERS) as NumberName[];

interface FormProps {
  id: string;
  limits: AccountLimits;
  version: number;
  /** what applies to an empty field */
  defaults: DefaultLimits;
  onClose: () => void;
}

const LimitsForm = ({ id, limits, version, defaults, onClose }: FormProps) => (
  <DialogForm
    onClose={onClose}
    label="Limits"
    confirm="Save Limits"
    success="Limits changed"
    refresh={[listOperatorAccounts]}
    form={{
      schema: updateAccountLimits.body,
      initialValues: {
        ...(Object.fromEntries(NAMES.map((name) => [name, limits[name] ?? ''])) as Record<
          NumberName,
          number | string
        >),
        countries: limits.countries as readonly string[] | null,
        is_trusted: limits.is_trusted,
        reason: '',
      },
      toBody: ({ countries, is_trusted, reason, ...numbers }) => ({
        ...Object.fromEntries(
          NAMES.map((name) => [name, numbers[name] === '' ? null : Number(numbers[name])]),
        ),
        countries,
        is_trusted,
        reason,
        version,
      }),
      submit: (body) => call(updateAccountLimits, { params: { id }, body }),
      failure: 'Failed to change the limits',
    }}
  >
    {({ field, fields }) => (
      <>
        <div className={`${classes.fields} grid gap-4`}>
          {NAMES.map((name) => (
            <NumberInput
              key={name}
              label={NUMBERS[name]}
              description={`Default: ${defaults[name]}`}
              min={1}
              allowDecimal={false}
              thousandSeparator=","
              {...field(name)}
            />
          ))}
          <CountryChoice
            label="Countries"
            description={`Default: ${defaults.countries}`}
            otherwise="Default"
            value={fields.values.countries ?? undefined}
            onChange={(codes) => fields.setFieldValue('countries', codes ?? null)}
            error={fields.errors.countries}
          />
        </div>
        <Switch
          label="Trusted account"
          description="Fraud rules neither block nor count its sends. Deny lists still apply."
          {...field('is_trusted')}
        />
        <ReasonInput {...field('reason')} />
      </>
    )}
  </DialogForm>
);

type DefaultLimits = Record<Exclude<keyof AccountLimits, 'is_trusted'>, string>;

const COUNTRIES_SHOWN = 5;
const UNKNOWN = '–';

/** What applies to an account without its own limits, as text. */
export function defaultLimits(settings: readonly OperatorSetting[]): DefaultLimits {
  const settingOf = (wanted: string): string => {
    const found = settings.find(({ name }) => name === wanted);
    return found ? (found.override ?? found.environment) : UNKNOWN;
  };
  return {
    requests_per_second: String(KEY_REQUESTS_PER_SECOND),
    recipient_sends_per_10_min: settingOf('RECIPIENT_SENDS_PER_10_MIN'),
    recipient_sends_per_day: settingOf('RECIPIENT_SENDS_PER_DAY'),
    daily_credit_limit: 'no limit',
    monthly_credit_limit: 'no limit',
    countries: countriesText(settingOf('ALLOWED_COUNTRIES')),
  };
}

function countriesText(value: string): string {
  if (value === UNKNOWN) return value;
  const codes = value.split(/[\s,]+/).filter((code) => code !== '');
  if (codes.includes('*')) return 'all countries';
  const more = codes.length - COUNTRIES_SHOWN;
  if (more <= 0) return countryNames(codes);
  return `${codes.slice(0, COUNTRIES_SHOWN).map(countryName).join(', ')} and ${more} more`;
}
