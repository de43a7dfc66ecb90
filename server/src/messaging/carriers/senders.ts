import { CHANNELS, type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { CARRIER_KIND_FACTS, type CarrierKind } from '@sixdigit/contract/operator/carrier-setups.ts';
import { SENDER_RULES, type SenderRule } from '@sixdigit/contract/operator/sender-rules.ts';
import { countryOfPhone, countryProblem } from '../../platform/addresses/phone.ts';
import type { Config } from '../../platform/config.ts';
import { type Finding, warning } from '../../platform/finding.ts';
import type { FieldValues, Message } from './carrier.ts';
import type { FieldProblems } from './kind.ts';

/** A sender for a country, a channel or both, in a text such as `US +12025550123, SE Acme, voice +15551234567`. */
interface Entry {
  country?: string | undefined;
  channel?: Channel | undefined;
  sender: string;
}

const ENTRY = new RegExp(`^(?:([a-z]{2})\\s+)?(?:(${CHANNELS.join('|')})\\s+)?(\\S.*)$`, 'i');
const MOST_ENTRIES = 100;

const entriesOf = (text = ''): Entry[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)
    .map((entry) => {
      const [, country, channel, sender = ''] = ENTRY.exec(entry) ?? [];
      return { country: country?.toUpperCase(), channel: channel?.toLowerCase() as Channel, sender };
    });

const isNumber = (sender: string): boolean => /^(?:\+[1-9]\d{6,14}|\d{3,15})$/.test(sender);
/** A messaging service of Twilio, which chooses a sender. */
export const isService = (sender: string): boolean => /^MG[0-9a-f]{32}$/i.test(sender);
/** Not an id of a company, which is longer. */
const isName = (sender: string): boolean =>
  /^[A-Za-z0-9 &._+-]{1,11}$/.test(sender) && /[A-Za-z]/.test(sender);

/** No call comes from a name, a short code or a messaging service. */
const canCall = (sender: string): boolean =>
  !isName(sender) && !isService(sender) && !/^\d{3,8}$/.test(sender);

/** What customers may see: no id of a company. */
export const shownSender = (sender = ''): string | undefined =>
  isNumber(sender) || isName(sender) ? sender : undefined;

const FORM = 'Enter a number such as +12025550123, a short code, or a name of at most 11 letters and digits';

/** What is wrong with the default sender and those of countries and channels. */
export function senderProblems(kind: CarrierKind, { from, senders }: FieldValues): FieldProblems {
  const isOwnForm = !CARRIER_KIND_FACTS[kind].fields.some(({ isSender }) => isSender);
  const isSender = (sender: string): boolean =>
    isOwnForm || isNumber(sender) || isName(sender) || (kind === 'twilio' && isService(sender));
  const wrong = entriesProblem(entriesOf(senders), kind, isSender);
  return { ...(from && !isSender(from) && { from: `${FORM}.` }), ...(wrong && { senders: wrong }) };
}

function entriesProblem(
  entries: readonly Entry[],
  kind: CarrierKind,
  isSender: (sender: string) => boolean,
): string | undefined {
  const { label, serves } = CARRIER_KIND_FACTS[kind];
  if (entries.length > MOST_ENTRIES) return `Enter at most ${MOST_ENTRIES} senders.`;
  const seen = new Set<string>();
  for (const { country, channel, sender } of entries) {
    if (!country && !channel) return 'Write a country and its sender, such as US +12025550123, SE Acme.';
    const place = [country, channel].filter(Boolean).join(' ');
    const unknown = country && countryProblem(country);
    if (unknown) return unknown;
    if (channel && !serves.includes(channel)) return `${label} does not serve ${factsOf(channel).label}.`;
    if (seen.has(place)) return `${place} has two senders.`;
    seen.add(place);
    if (!isSender(sender)) return `${FORM}, for ${place}.`;
    if (channel === 'voice' && !canCall(sender)) return 'Calls need a number.';
    if (country && SENDER_RULES[country]?.names === 'refused' && isName(sender))
      return `${country} takes no sender names. Enter a number.`;
  }
  return undefined;
}

/** Channel and country, then channel, then country, then the carrier's own. */
function chosenOf({ senders, from }: FieldValues, channel: Channel, country: string | undefined) {
  const rank = (entry: Entry): number => (entry.channel ? 2 : 0) + (entry.country ? 1 : 0);
  return (
    entriesOf(senders)
      .filter(
        (entry) =>
          (entry.channel ?? channel) === channel &&
          (entry.country ?? country) === country &&
          (channel !== 'voice' || canCall(entry.sender)),
      )
      .sort((one, other) => rank(other) - rank(one))[0]?.sender ?? from
  );
}

/** The sender of a message, by its channel and the recipient's country. */
export const senderFor = (
  { channel, recipient }: Pick<Message, 'channel' | 'recipient'>,
  values: FieldValues,
): string | undefined =>
  values.senders ? chosenOf(values, channel, countryOfPhone(recipient)) : values.from;

/** Sentences about countries that refuse the names from which a carrier sends, or deliver only registered ones. */
export function senderWarnings(
  { allowedCountries }: Pick<Config, 'allowedCountries'>,
  { channels, values }: { channels: readonly Channel[]; values: FieldValues },
): string[] {
  if (!channels.includes('sms')) return [];
  const named = Object.entries(SENDER_RULES).filter(
    ([country]) =>
      (allowedCountries.includes('*') || allowedCountries.includes(country)) &&
      isName(chosenOf(values, 'sms', country) ?? ''),
  );
  const under = (names: SenderRule['names']): string =>
    named.flatMap(([country, rule]) => (rule.names === names ? country : [])).join(', ');
  const [refused, registered] = [under('refused'), under('registered')];
  return [
    ...(refused ? [`These countries deliver no message from a name: ${refused}.`] : []),
    ...(registered
      ? [`These countries deliver only sender names that are registered there: ${registered}.`]
      : []),
  ];
}

/** `senderWarnings` as findings of the doctor. */
export const senderFindings = (
  about: string,
  config: Config,
  used: { name: string; channels: readonly Channel[]; values: FieldValues },
): Finding[] =>
  senderWarnings(config, used).map((says) =>
    warning(about, `${used.name}: ${says}`, 'Enter other senders for them (docs/carriers.md).'),
  );
