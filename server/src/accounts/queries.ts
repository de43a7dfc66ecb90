import type { Branding } from '@sixdigit/contract/accounts/branding.ts';
import type { Queryable, Sql, Tx } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';

export interface Person {
  id: string;
  email: string;
  username: string;
  /** null until the person chooses a password */
  password_hash: string | null;
  first_name: string;
  last_name: string;
  phone_number: string;
  phone_verified_at: string | null;
  two_factor_enabled: boolean;
  two_factor_method: 'sms' | 'email';
  two_factor_phone: string;
  created_at: string;
  /** null for the browser's time zone */
  time_zone: string | null;
}

export const PERSON = `id, email, username, password_hash, first_name, last_name, phone_number, phone_verified_at,
  two_factor_enabled, two_factor_method, two_factor_phone, created_at, time_zone`;

export const findPersonByEmail = (sql: Queryable, email: string) =>
  sql.maybe<Person>(`select ${PERSON} from people where email = $1 and deleted_at is null`, [email]);

export const findPerson = (sql: Sql, id: string) =>
  sql.maybe<Person>(`select ${PERSON} from people where id = $1 and deleted_at is null`, [id]);

/**
 * Locks the person against other changes of their factors until the transaction ends. Sign-ins do not wait for this lock. Throws
 * `unauthenticated` if they were deleted.
 */
export async function lockPerson(tx: Tx, id: string): Promise<Person> {
  const person = await tx.maybe<Person>(
    `select ${PERSON} from people where id = $1 and deleted_at is null for no key update`,
    [id],
  );
  if (!person) throw new Failure('unauthenticated');
  return person;
}

/** Locks the person until the transaction ends. Undefined if they were deleted. */
export const lockEmail = (tx: Tx, id: string) =>
  tx.maybe<{ email: string }>('select email from people where id = $1 and deleted_at is null for update', [
    id,
  ]);

/** Returns false if the password has changed since the comparison. Otherwise locks the person until the transaction ends. */
export const holdPassword = async (tx: Tx, { id, password_hash }: Person): Promise<boolean> =>
  (await tx.maybe(
    'select 1 from people where id = $1 and deleted_at is null and password_hash = $2 for share',
    [id, password_hash],
  )) !== undefined;

interface NewPerson {
  id: string;
  email: string;
  username: string;
  /** null until the owner chooses a password, which signing in needs */
  password_hash: string | null;
  phone_number: string;
  is_phone_proven: boolean;
  first_name?: string;
  last_name?: string;
}

/** Returns false if the e-mail address or the username is taken. */
export const insertPerson = async (tx: Tx, person: NewPerson): Promise<boolean> =>
  (await tx.run(
    `insert into people (id, email, username, password_hash, phone_number, phone_verified_at, first_name, last_name, created_at)
     values ($1, $2, $3, $4, $5, case when $6 then clock_now() end, $7, $8, clock_now())
     on conflict do nothing`,
    [
      person.id,
      person.email,
      person.username,
      person.password_hash,
      person.phone_number,
      person.is_phone_proven,
      person.first_name ?? '',
      person.last_name ?? '',
    ],
  )) === 1;

/** If `was` is null, updates unconditionally; otherwise only if the stored hash still equals `was`. */
export const updatePassword = async (
  tx: Tx,
  id: string,
  { was, password_hash }: { was: string | null; password_hash: string },
): Promise<boolean> =>
  (await tx.run(
    `update people set password_hash = $3
     where id = $1 and deleted_at is null and ($2::text is null or password_hash = $2)`,
    [id, was, password_hash],
  )) === 1;

/** A number that already receives codes stays proven; any other becomes unproven. */
export const updateProfile = (
  tx: Tx,
  id: string,
  {
    first_name,
    last_name,
    phone_number,
    time_zone,
  }: Pick<Person, 'first_name' | 'last_name' | 'phone_number' | 'time_zone'>,
) =>
  tx.one<Person>(
    `update people set first_name = $2, last_name = $3, phone_number = $4, time_zone = $5,
       phone_verified_at = case
         when phone_number = $4 then phone_verified_at
         when two_factor_phone = $4 and $4 <> '' then clock_now() end
     where id = $1 returning ${PERSON}`,
    [id, first_name, last_name, phone_number, time_zone],
  );

interface TwoFactorChange {
  enabled: boolean;
  method: 'sms' | 'email';
  phone_number: string;
  /** the number that receives codes; empty if none go by SMS */
  two_factor_phone: string;
  /** the user has entered a code that was sent to this number */
  is_proven: boolean;
}

export const updateTwoFactor = (tx: Tx, id: string, change: TwoFactorChange) =>
  tx.maybe<Person>(
    `update people set two_factor_enabled = $2, two_factor_method = $3, phone_number = $4, two_factor_phone = $5,
       phone_verified_at = case
         when $6 then clock_now()
         when phone_number = $4 then phone_verified_at
         when two_factor_phone = $4 and $4 <> '' then clock_now() end
     where id = $1 and deleted_at is null returning ${PERSON}`,
    [id, change.enabled, change.method, change.phone_number, change.two_factor_phone, change.is_proven],
  );

/** A trigger adds the name and the address of the owner with the first membership. */
export const insertAccount = async (tx: Tx, { id, name }: { id: string; name: string }): Promise<void> => {
  await tx.run('insert into accounts (id, name, created_at) values ($1, $2, clock_now())', [id, name]);
};

const BRANDING = `sender_name, reply_to_email, default_subject, default_message, default_language, language_by_country,
  default_otp_length, default_expiry_seconds, auto_purchase_enabled, auto_purchase_threshold, auto_purchase_amount, low_balance_threshold`;

/** As stored: an empty text stands for the default. */
export const selectBranding = (sql: Sql, id: string) =>
  sql.one<Branding>(`select ${BRANDING} from accounts where id = $1`, [id]);

/** Like `selectBranding`, but locks the row until the transaction ends. */
export const lockBranding = (tx: Tx, id: string) =>
  tx.one<Branding>(`select ${BRANDING} from accounts where id = $1 for no key update`, [id]);

export const updateBrandingRow = (sql: Queryable, id: string, branding: Branding) =>
  sql.one<Branding>(
    `update accounts set sender_name = $2, reply_to_email = $3, default_subject = $4, default_message = $5,
       default_otp_length = $6, default_expiry_seconds = $7, auto_purchase_enabled = $8, auto_purchase_threshold = $9,
       auto_purchase_amount = $10, low_balance_threshold = $11, default_language = $12, language_by_country = $13
     where id = $1 returning ${BRANDING}`,
    [
      id,
      branding.sender_name,
      branding.reply_to_email,
      branding.default_subject,
      branding.default_message,
      branding.default_otp_length,
      branding.default_expiry_seconds,
      branding.auto_purchase_enabled,
      branding.auto_purchase_threshold,
      branding.auto_purchase_amount,
      branding.low_balance_threshold,
      branding.default_language,
      branding.language_by_country,
    ],
  );

interface Standing {
  welcome_credits_due: number;
  is_suspended: boolean;
}

export const findStanding = (sql: Sql, account_id: string) =>
  sql.maybe<Standing>(
    `select welcome_credits_due, suspended_at is not null as is_suspended
     from accounts where id = $1 and deleted_at is null`,
    [account_id],
  );

export const hasAccounts = async (sql: Sql): Promise<boolean> =>
  (await sql.one<{ found: boolean }>('select exists (select from accounts) as found')).found;

/** The name and address for receipts and the card provider. Empty for a deleted account. */
export const billingNameOf = (
  sql: Sql,
  id: string,
): Promise<{ email: string; first_name: string; last_name: string }> =>
  sql.one('select email, first_name, last_name from accounts where id = $1', [id]);

export const contactOf = (sql: Sql, id: string): Promise<{ email: string; phone_number: string }> =>
  sql.one('select email, phone_number from people where id = $1', [id]);

export const switchOffAutoPurchase = (tx: Tx, id: string): Promise<number> =>
  tx.run('update accounts set auto_purchase_enabled = false where id = $1', [id]);

/** Counts the people with this e-mail address or phone number. */
export const countPeopleWith = async (sql: Sql, recipient: string): Promise<number> =>
  (
    await sql.one<{ n: number }>(
      'select count(*) as n from people where (email = $1 or phone_number = $1) and deleted_at is null',
      [recipient],
    )
  ).n;

/** Locks these people until the transaction ends. */
export const lockPeople = (tx: Tx, ids: readonly string[]): Promise<unknown> =>
  tx.rows('select 1 from people where id = any ($1) order by id for update', [ids]);

/**
 * Locks these people against deletion, before the lock of an account and statements that refer to both: a deletion locks people
 * before the account, too. Returns how many of them are not deleted.
 */
export const holdPeople = (tx: Tx, ids: readonly string[]): Promise<number> =>
  tx.run('select 1 from people where id = any ($1) and deleted_at is null order by id for key share', [ids]);

/** Locks the account until the transaction ends, and returns its owner's address. Undefined if it was deleted. */
export const lockContact = (tx: Tx, account_id: string) =>
  tx.maybe<{ email: string }>('select email from accounts where id = $1 and deleted_at is null for update', [
    account_id,
  ]);

/** The person whose address stands for the account. Undefined for a deleted account. */
export const findContact = async (sql: Queryable, account_id: string): Promise<string | undefined> =>
  (await sql.one<{ id: string | null }>('select contact_of($1) as id', [account_id])).id ?? undefined;
