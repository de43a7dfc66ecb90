/**
 * The OTP configuration. The default is stored as an empty text, so that a changed default applies to every account that has not
 * set its own. Responses contain the effective values.
 */

import type { Branding, previewBranding } from '@sixdigit/contract/accounts/branding.ts';
import { CODE_LENGTH } from '@sixdigit/contract/code-message.ts';
import { failures } from '@sixdigit/contract/errors.ts';
import { email } from '@sixdigit/contract/field.ts';
import { callLanguageOf, LANGUAGES, type Language } from '@sixdigit/contract/languages.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { anyCode, renderSms, smsTooLong } from '@sixdigit/contract/text/sms-segments.ts';
import { byOwner, changesBetween, record } from '../../audit/audit.ts';
import { lockBalance } from '../../credits/credits.ts';
import { mailSenderName, parseMailbox } from '../../messaging/carriers/carriers.ts';
import { callScript, codeSubject, codeText, renderOtpMail } from '../../messaging/mail/mail.ts';
import type { Config } from '../../platform/config.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import { requireStepUp, type UserCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { requireListedTemplates } from '../../protection/message-links/message-links.ts';
import type { App } from '../account.ts';
import { requireStill } from '../members/authority.ts';
import { lockBranding, selectBranding, updateBrandingRow } from '../queries.ts';

/** A form of the previous version has no fields of languages. */
type Wanted = Omit<Branding, Absent> & { [F in Absent]?: Branding[F] | undefined };
type Absent = 'default_language' | 'language_by_country';

type Texts = Pick<Branding, 'sender_name' | 'reply_to_email' | 'default_subject' | 'default_message'>;

export const brandingOf = async (app: Needs<'db' | 'config'>, account_id: string): Promise<Branding> =>
  inEffect(app.config, await selectBranding(app.db, account_id));

export async function changeBranding(
  app: StoreApp & Pick<App, 'config' | 'carriers'>,
  caller: UserCaller,
  branding: Wanted,
): Promise<Branding> {
  if (app.carriers.has('sms')) needsShortMessage(app, branding);
  const { account_id } = caller;
  // Checks only the account's own texts: the deployment's defaults may link to its own domain.
  const { default_message, default_subject, sender_name } = asStored(app.config, branding);
  await requireListedTemplates(app, account_id, { default_message, default_subject, sender_name });
  const stored = { ...branding, ...asStored(app.config, branding) };
  const rowOf = (was: Branding): Branding => ({
    ...stored,
    default_language: branding.default_language ?? was.default_language,
    language_by_country: branding.language_by_country ?? was.language_by_country,
  });
  return inEffect(app.config, await storeSettings(app, caller, rowOf));
}

export type AutoPurchaseSettings = Pick<Branding, (typeof AUTO_PURCHASE)[number]>;

/** Changes only the settings of auto-purchase. */
export async function changeAutoPurchase(
  app: StoreApp,
  caller: UserCaller,
  settings: AutoPurchaseSettings,
): Promise<void> {
  await storeSettings(app, caller, (was) => ({ ...was, ...settings }));
}

/** Changes only the low-balance threshold. */
export const changeLowBalance = async (
  app: StoreApp,
  caller: UserCaller,
  { low_balance_threshold }: LowBalance,
): Promise<LowBalance> => {
  const row = await storeSettings(app, caller, (was) => ({ ...was, low_balance_threshold }));
  return { low_balance_threshold: row.low_balance_threshold };
};

type LowBalance = Pick<Branding, 'low_balance_threshold'>;

type StoreApp = Pick<App, 'db' | 'hasSavedCard' | 'random'>;

/** Stores the row that `rowOf` makes of the locked one. A change needs a proof of identity, unless it is only of the low-balance threshold. */
async function storeSettings(
  app: StoreApp,
  caller: UserCaller,
  rowOf: (was: Branding) => Branding,
): Promise<Branding> {
  const { account_id } = caller;
  const mayReplace = (was: Branding): void => {
    const wanted = rowOf(was);
    if (PROVEN.some((field) => wanted[field] !== was[field])) requireStepUp(caller);
  };
  const before = await selectBranding(app.db, account_id);
  mayReplace(before);
  if (rowOf(before).auto_purchase_enabled && !before.auto_purchase_enabled)
    await needsSavedCard(app, account_id);
  return app.db.transaction(async (tx) => {
    await lockBalance(tx, account_id);
    const was = await lockBranding(tx, account_id);
    await requireStill(tx, caller, 'admin');
    // A concurrent request may have changed these settings since they were read above.
    mayReplace(was);
    const row = await updateBrandingRow(tx, account_id, rowOf(was));
    const settings = changesBetween(was, row, SETTINGS);
    if (settings) await record(tx, app, { ...byOwner(caller), action: 'settings.change', ...settings });
    const buying = changesBetween(was, row, AUTO_PURCHASE);
    if (buying) await record(tx, app, { ...byOwner(caller), action: 'auto_purchase.change', ...buying });
    return row;
  });
}

/** Rejects a default message with too many SMS segments, because every send that uses it would be refused. */
function needsShortMessage({ config }: Needs<'config'>, { default_message }: Wanted): void {
  const text = renderSms(default_message || codeText('en'), anyCode(CODE_LENGTH.max));
  const problem = smsTooLong(text, config.smsMaxSegments);
  if (problem) throw new FieldErrors({ default_message: [problem] });
}

const SETTINGS = [
  'sender_name',
  'reply_to_email',
  'default_subject',
  'default_message',
  'default_language',
  'language_by_country',
  'default_otp_length',
  'default_expiry_seconds',
  'low_balance_threshold',
] as const;
/** The settings that decide when a saved card is charged. */
const AUTO_PURCHASE = ['auto_purchase_enabled', 'auto_purchase_threshold', 'auto_purchase_amount'] as const;

/** What messages say, and what a saved card pays. */
const PROVEN = [...SETTINGS.filter((field) => field !== 'low_balance_threshold'), ...AUTO_PURCHASE];

/** Auto-purchase charges a saved card, so enabling it requires one. */
async function needsSavedCard(app: Pick<App, 'hasSavedCard'>, account_id: string): Promise<void> {
  if (!(await app.hasSavedCard(account_id)))
    throw new FieldErrors({ auto_purchase_enabled: [failures.payment_method_missing.error] });
}

/** What sends with these settings produce: the text of an SMS, the mail and the call, with ascending digits as the code. */
export function previewMessages({ config }: Needs<'config'>, wanted: Wanted): Reply<typeof previewBranding> {
  const { default_language: language = 'en', language_by_country = false } = wanted;
  const texts = asStored(config, wanted);
  const branding = { ...wanted, ...texts, default_language: language, language_by_country };
  const { sender_name, default_subject, default_message, ...rest } = inEffect(config, branding);
  const isOwn = sender_name !== mailSenderName(config);
  const code = '12345678'.slice(0, rest.default_otp_length);
  const mail = renderOtpMail({
    brand: isOwn ? config.brandName : sender_name,
    supportEmail: config.supportEmail,
    senderName: sender_name,
    subject: default_subject,
    messageTemplate: default_message,
    language,
    code,
    expiresInSeconds: rest.default_expiry_seconds,
  });
  return {
    ...mail,
    sms: default_message,
    call: callScript(callLanguageOf(language, 'en'), config.brandName, code),
  };
}

type Defaults = Pick<Config, 'brandName' | 'publicUrl' | 'carriers'>;

const defaultsOf = (config: Defaults, language: Language): Texts => ({
  sender_name: mailSenderName(config),
  reply_to_email: noReplyAddress(config),
  default_subject: codeSubject(language),
  default_message: codeText(language),
});

function inEffect(config: Defaults, branding: Branding): Branding {
  const defaults = defaultsOf(config, branding.default_language);
  return { ...branding, ...textsBy((name) => branding[name] || defaults[name]) };
}

function asStored(config: Defaults, branding: Wanted): Texts {
  // A form shows our text in the language before the change.
  const defaults = LANGUAGES.map((language) => defaultsOf(config, language));
  return textsBy((name) => (defaults.some((one) => one[name] === branding[name]) ? '' : branding[name]));
}

const textsBy = (value: (name: keyof Texts) => string): Texts => ({
  sender_name: value('sender_name'),
  reply_to_email: value('reply_to_email'),
  default_subject: value('default_subject'),
  default_message: value('default_message'),
});

/** The deployment's sender address, or else `no-reply@` on its host. The first one that the form accepts. */
function noReplyAddress({ carriers, publicUrl }: Defaults): string {
  const { EMAIL_FROM } = carriers.settings;
  const candidates = [
    EMAIL_FROM && parseMailbox(EMAIL_FROM)?.address,
    publicUrl && `no-reply@${new URL(publicUrl).hostname}`,
  ];
  return candidates.find((address) => email.safeParse(address).success) || 'no-reply@example.com';
}
