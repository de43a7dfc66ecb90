import { z } from 'zod';
import { headerText, headerTextMessage, id, optionalTime, requiredText, time } from '../field.ts';
import { listOf, listQuery } from '../list.ts';
import { type Details, type Endpoint, route } from '../route.ts';

/**
 * The calls of operators, who run this deployment. Any other caller gets the response of a path that does not exist. A support
 * operator can read, reveal and resend; an admin can also change everything. An operator key can make the calls that its scopes
 * allow.
 */
export const OPERATOR_ROLES = ['support', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

export const OPERATOR_SCOPES = [
  'overview:read',
  'accounts:read',
  'accounts:write',
  'accounts:reveal',
  'accounts:resend',
  'erasures:read',
  'erasures:write',
  'carriers:read',
  'carriers:write',
  'protection:read',
  'protection:write',
  'prices:read',
  'prices:write',
  'payments:read',
  'payments:write',
  'opt-outs:read',
  'opt-outs:write',
  'announcements:read',
  'announcements:write',
  'settings:read',
  'settings:write',
  'audit:read',
] as const;
export type OperatorScope = (typeof OPERATOR_SCOPES)[number];

/** The format of an operator key: prefix, 32 base62 characters (of them 30 random), 6 checksum characters. */
export const OPERATOR_KEY_PATTERN = /^sd_operator_[0-9A-Za-z]{38}$/;
export const REASON_MESSAGE = 'Please enter a reason';

/** Why an operator changes something. The audit log stores it. */
export const reason = requiredText(REASON_MESSAGE)
  .max(500, 'Reason must be at most 500 characters')
  .refine(headerText, headerTextMessage('Reason'));

/** What a check found. */
export const finding = z.object({
  level: z.enum(['ok', 'warning', 'problem']),
  says: z.string(),
  advice: z.string().nullable(),
});

/** The query and the reply of a call that lists earlier versions, newest first. `what` is the shape of a version. */
export const historyOf = <const S extends z.ZodRawShape>(what: S) => ({
  query: listQuery(['created_at'], '-created_at').pick({ page: true, page_size: true }),
  reply: listOf(
    z.object({ version: z.number().int(), created_at: time, changed_by: z.string().nullable(), ...what }),
  ),
});

type Parts = Omit<Details, 'tag' | 'auth' | 'operator'>;
type Scope = OperatorScope | null;

const callsOf =
  <const R extends OperatorRole>(role: R) =>
  <const S extends Scope, const E extends Endpoint, const P extends Parts>(scope: S, endpoint: E, parts: P) =>
    route(endpoint, { ...parts, tag: 'operator', auth: 'operator', operator: { role, scope } } as const);

/** Declares a call that every operator can make. */
export const supportRoute = callsOf('support');
/** Declares a call that requires the admin role. */
export const adminRoute = callsOf('admin');

/**
 * Declares a call that reads a part of an account, with masked recipients and texts. `path` is relative to the account's path.
 */
export const accountRoute = <const P extends string, const D extends Parts>(path: P, parts: D) =>
  supportRoute('accounts:read', `GET /operator/accounts/:id/${path}`, parts);

/** Declares a call that reveals the masked values of such a part. The audit log records it. */
export const revealRoute = <const P extends string, const D extends Parts>(path: P, parts: D) =>
  supportRoute('accounts:reveal', `POST /operator/accounts/:id/${path}reveal/`, {
    ...parts,
    body: z.object({ reason }),
  });

export const Operator = z.object({
  email: z.string(),
  role: z.enum(OPERATOR_ROLES),
  is_key: z.boolean().meta({ description: 'Whether an operator key makes this call' }),
});
export const getOperator = supportRoute(null, 'GET /operator/me/', {
  name: 'getOperator',
  summary: 'The calling operator',
  reply: Operator,
});

export const getOperatorOpenApi = supportRoute(null, 'GET /operator/openapi.json', {
  name: 'getOperatorOpenApi',
  summary: 'This document',
  reply: z.looseObject({ openapi: z.string() }),
});

// ── keys ──

export const OPERATOR_KEY_DAYS = { min: 1, max: 365, default: 90 } as const;
export const OperatorKey = z.object({
  id,
  name: z.string(),
  prefix: z.string().meta({ description: 'The first 18 characters (16 of older keys), for identification' }),
  scopes: z.array(z.enum(OPERATOR_SCOPES)),
  created_by: z.string().meta({ description: 'Email address of the operator' }),
  created_at: time,
  expires_at: time,
  last_used_at: optionalTime,
});
export type OperatorKey = z.infer<typeof OperatorKey>;

export const listOperatorKeys = adminRoute(null, 'GET /operator/keys/', {
  name: 'listOperatorKeys',
  summary: 'Operator keys that have not been deleted',
  query: listQuery(['created_at', 'name', 'expires_at'], '-created_at'),
  reply: listOf(OperatorKey),
});
export const createOperatorKey = adminRoute(null, 'POST /operator/keys/', {
  name: 'createOperatorKey',
  summary: 'Create an operator key for automation',
  description:
    'Send it as `Authorization: Bearer`. It stops working when it expires, is deleted, or its creator loses the admin role.',
  body: z.object({
    name: requiredText('Please enter a key name')
      .max(100, 'Key name must be at most 100 characters')
      .refine(headerText, headerTextMessage('Key name')),
    scopes: z
      .array(z.enum(OPERATOR_SCOPES, { error: `Scopes must be among: ${OPERATOR_SCOPES.join(', ')}.` }))
      .min(1, 'Choose at least one scope')
      .max(OPERATOR_SCOPES.length, 'Name each scope once'),
    expires_in_days: z
      .number()
      .int('Days must be a whole number')
      .min(OPERATOR_KEY_DAYS.min, 'Days must be at least 1')
      .max(OPERATOR_KEY_DAYS.max, 'Days must be at most 365')
      .default(OPERATOR_KEY_DAYS.default),
  }),
  status: 201,
  reply: OperatorKey.extend({ key: z.string().meta({ description: 'The whole key. Returned only once.' }) }),
});
export const deleteOperatorKey = adminRoute(null, 'DELETE /operator/keys/:id/', {
  name: 'deleteOperatorKey',
  summary: 'Delete an operator key; it stops working immediately',
});

// ── audit ──

export const OperatorAction = z.object({
  id,
  created_at: time,
  operator: z.string().nullable().meta({
    description: 'Email address of the operator; null for the command line and for deleted accounts',
  }),
  operator_key: z.string().nullable().meta({ description: 'Name of the operator key, if one was used' }),
  action: z.string(),
  account_id: id.nullable(),
  account_email: z.string().nullable().meta({
    description: 'Email address of the account’s owner; null without an account and for deleted accounts',
  }),
  subject: z.string(),
  reason: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  ip_address: z.string().nullable(),
});
export type OperatorAction = z.infer<typeof OperatorAction>;
export const listOperatorActions = supportRoute('audit:read', 'GET /operator/audit/', {
  name: 'listOperatorActions',
  summary: 'Every change and reveal by an operator, with the state before and after',
  query: listQuery(['created_at'], '-created_at').extend({
    account_id: z.string().optional(),
    action: z.string().max(60, 'At most 60 characters.').optional(),
  }),
  reply: listOf(OperatorAction),
});
