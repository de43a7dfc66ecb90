/** Whether an account has an app or a passkey, as an SQL condition. */
export const ownsFactor = (account_id: string): string =>
  `(exists (select from passkeys where account_id = ${account_id})
    or exists (select from authenticators where account_id = ${account_id} and confirmed_at is not null))`;
