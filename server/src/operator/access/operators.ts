import type { OperatorRole } from '@sixdigit/contract/operator/operator.ts';
import { Refusal } from '../../platform/file-problem.ts';
import type { Needs } from '../../platform/platform.ts';
import { recordAction } from '../audit.ts';
import { deleteOperator, findAccountId, findRole, lockOperators, upsertOperator } from '../queries.ts';

/** Adds and removes operators, from the command line of the deployment. */
type App = Needs<'db' | 'random'>;

/** Throws a `Refusal` if no account has this address. */
export const addOperator = (app: App, email: string, role: OperatorRole): Promise<void> =>
  changeOperator(app, email, { action: 'operator.add', role });

/** Throws a `Refusal` if the account is no operator. Its keys stop with it. */
export const removeOperator = (app: App, email: string): Promise<void> =>
  changeOperator(app, email, { action: 'operator.remove', role: null });

const changeOperator = (
  app: App,
  email: string,
  { action, role }: { action: string; role: OperatorRole | null },
): Promise<void> =>
  app.db.transaction(async (tx) => {
    await lockOperators(tx);
    const account_id = await findAccountId(tx, email);
    if (!account_id) throw new Refusal(`No account has the address ${email}: sign up first.`);
    const before = await findRole(tx, account_id);
    if (role === null && before === null) throw new Refusal(`${email} is not an operator.`);
    await (role === null ? deleteOperator(tx, account_id) : upsertOperator(tx, account_id, role));
    await recordAction(tx, app, null, {
      action,
      account_id,
      subject: 'Operator',
      before: { role: before },
      after: { role },
    });
  });
