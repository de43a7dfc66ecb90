import { z } from 'zod';
import { id, time } from './field.ts';
import { createdAfter, createdBefore, EXPORT_DESCRIPTION, exportQuery, listOf, listQuery } from './list.ts';
import { route } from './route.ts';

/** The number of days after which an entry is removed. */
export const AUDIT_DAYS = 400;

export const AUDIT_ACTORS = ['owner', 'key', 'operator', 'system', 'unknown'] as const;
export type AuditActor = (typeof AUDIT_ACTORS)[number];

/** Every action of the audit log, by group: its name in the API and its label on screens. */
export const AUDIT_GROUPS = {
  sign_in: {
    'sign_in.succeed': 'Signed in',
    'sign_in.fail': 'Failed sign-in',
    'session.end': 'Ended a session',
    'session.end_all': 'Ended all sessions',
    'session.reuse': 'Ended a session because its token was reused',
  },
  security: {
    'password.change': 'Changed the password',
    'password.reset': 'Reset the password',
    'phone.change': 'Changed the phone number',
    'email.request': 'Requested a change of email address',
    'email.change': 'Changed the email address',
    'two_factor.change': 'Changed two-factor authentication',
    'passkey.add': 'Added a passkey',
    'passkey.change': 'Renamed a passkey',
    'passkey.remove': 'Removed a passkey',
    'authenticator.add': 'Added an authenticator app',
    'authenticator.remove': 'Removed the authenticator app',
    'recovery_codes.create': 'Created recovery codes',
    'recovery_codes.use': 'Used a recovery code',
    'sso.change': 'Changed single sign-on',
    'sso.remove': 'Turned off single sign-on',
    'sso.verify_domain': 'Verified the SSO domain',
    'sso.lapse_domain': 'Ended the verification of the SSO domain',
    'sso.link': 'Linked an SSO identity',
    'step_up.succeed': 'Confirmed their identity',
    'step_up.fail': 'Failed to confirm their identity',
  },
  api_key: {
    'api_key.create': 'Created an API key',
    'api_key.change': 'Changed an API key',
    'api_key.rotate': 'Rotated an API key',
    'api_key.delete': 'Deleted an API key',
    'api_key.rules': 'Changed who may create live API keys',
  },
  connection: {
    'connection.create': 'Created a connection',
    'connection.change': 'Changed a connection',
    'connection.rotate': 'Rotated the secret of a connection',
    'connection.delete': 'Deleted a connection',
  },
  limit: {
    'limit.create': 'Created a limit',
    'limit.change': 'Changed a limit',
    'limit.delete': 'Deleted a limit',
  },
  verification: {
    'verification.cancel': 'Canceled a verification',
    'verification.resend': 'Resent a code',
    'verification.resend_fail': 'Failed to resend a code',
  },
  webhook: {
    'webhook.create': 'Created a webhook',
    'webhook.change': 'Changed a webhook',
    'webhook.rotate_secret': 'Rotated the secret of a webhook',
    'webhook.disable': 'Disabled a webhook',
    'webhook.delete': 'Deleted a webhook',
    'webhook.resend': 'Resent a webhook message',
  },
  settings: {
    'profile.change': 'Changed the profile',
    'settings.change': 'Changed the OTP settings',
    'message_domain.add': 'Added a message domain',
    'message_domain.verify': 'Verified a message domain',
    'message_domain.lapse': 'Ended the verification of a message domain',
    'message_domain.remove': 'Removed a message domain',
    'template.create': 'Created a template',
    'template.change': 'Changed a template',
    'template.delete': 'Deleted a template',
    'plans.change': 'Changed the channels of plans',
    'suppression.create': 'Suppressed an email address',
    'suppression.delete': 'Removed a suppressed email address',
    'suppression.provider': 'Asked a mail provider to remove a suppressed email address',
    'verify_service.create': 'Created a Verify service',
    'verify_service.change': 'Changed a Verify service',
    'verify_service.delete': 'Deleted a Verify service',
  },
  payment: {
    'purchase.start': 'Started a purchase',
    'purchase.complete': 'Bought credits',
    'purchase.fail': 'Failed to buy credits',
    'purchase.refund': 'Refunded a purchase',
    'purchase.refund_fail': 'Failed to refund a purchase',
    'purchase.reverse': 'Reversed the credits of a purchase',
    'card.save': 'Saved a card',
    'card.remove': 'Removed a card',
    'auto_purchase.change': 'Changed auto-purchase',
    'spend_limit.change': 'Changed the spend limits',
    'credits.adjust': 'Adjusted the credits',
    'credits.transfer': 'Moved credits to another account',
    'credits.receive': 'Received credits from another account',
  },
  protection: {
    'protection.change': 'Changed the protection rules',
    'protection.allow': 'Allowed a destination',
    'protection.unblock': 'Unblocked a destination by email link',
    'known.import': 'Imported known recipients',
    'known.remove': 'Removed a known recipient',
    'known.delete': 'Deleted known recipients',
  },
  member: {
    'member.invite': 'Invited a person',
    'member.invite_resend': 'Sent an invitation again',
    'member.invite_revoke': 'Revoked an invitation',
    'member.join': 'Joined the account',
    'member.role': 'Changed the role of a member',
    'member.remove': 'Removed a member',
    'member.leave': 'Left the account',
  },
  account: {
    'account.create': 'Created the account',
    'account.rename': 'Renamed the account',
    'account.suspend': 'Suspended the account',
    'account.resume': 'Resumed the account',
    'account.reveal': 'Viewed protected data',
    'account.delete': 'Deleted the account',
  },
} as const satisfies Record<string, Record<string, string>>;

export type AuditGroup = keyof typeof AUDIT_GROUPS;
type ActionsOf<G> = G extends AuditGroup ? keyof (typeof AUDIT_GROUPS)[G] : never;
export type AuditAction = ActionsOf<AuditGroup>;

export const GROUP_NAMES = Object.keys(AUDIT_GROUPS) as [AuditGroup, ...AuditGroup[]];
export const actionsIn = (group: AuditGroup): AuditAction[] =>
  Object.keys(AUDIT_GROUPS[group]) as AuditAction[];
const ACTIONS = GROUP_NAMES.flatMap(actionsIn) as [AuditAction, ...AuditAction[]];
const LABELS: Record<AuditAction, string> = Object.assign({}, ...Object.values(AUDIT_GROUPS));
export const labelOfAction = (action: AuditAction): string => LABELS[action];

const Values = z.record(z.string(), z.unknown()).nullable();

export const AuditEntry = z.object({
  id,
  created_at: time,
  actor: z.enum(AUDIT_ACTORS).meta({
    description:
      'owner: a signed-in user; key: an API key; operator: an operator of the service; system: the service; unknown: a failed sign-in or step-up, or a reused refresh token',
  }),
  person: z.object({ id, email: z.string().nullable() }).nullable().meta({
    description:
      'The person who did it, or whom a failed sign-in was about; their address is null once erased',
  }),
  action: z.enum(ACTIONS),
  subject: z.string().meta({ description: 'The object of the action, such as the name of a key' }),
  before: Values.meta({ description: 'The changed values before the action' }),
  after: Values.meta({ description: 'The changed values after the action' }),
  ip_address: z.string().nullable(),
  place: z.string().nullable().meta({
    description: 'Approximate location of the address; null if the service has no geolocation database',
  }),
  user_agent: z.string().nullable(),
  count: z.number().int().meta({
    description: 'For failed sign-ins, the number of attempts from this network in that minute; otherwise 1',
  }),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const listAuditEntries = route('GET /audit/', {
  name: 'listAuditEntries',
  tag: 'account',
  auth: 'bearer',
  summary: 'Audit log of the account',
  description: `Sign-ins, changes and purchases, each with the actor, the IP address and the values before and after. Entries are kept for ${AUDIT_DAYS} days.`,
  query: listQuery(['created_at'], '-created_at').extend({
    group: z
      .enum(GROUP_NAMES, { error: `Group must be one of: ${GROUP_NAMES.join(', ')}.` })
      .optional()
      .meta({ description: 'The group of actions' }),
    actor: z.enum(AUDIT_ACTORS, { error: `Actor must be one of: ${AUDIT_ACTORS.join(', ')}.` }).optional(),
    person_id: id.optional().meta({ description: 'The person who did it' }),
    created_after: createdAfter.optional(),
    created_before: createdBefore.optional(),
  }),
  reply: listOf(AuditEntry),
});

export const exportAuditEntries = route('GET /audit/export/', {
  name: 'exportAuditEntries',
  tag: 'account',
  auth: 'bearer',
  summary: 'Audit log of the account as CSV',
  description: EXPORT_DESCRIPTION,
  query: exportQuery(listAuditEntries.query),
  stream: 'text/csv',
  failures: ['list_timeout', 'export_limit_reached'],
});
