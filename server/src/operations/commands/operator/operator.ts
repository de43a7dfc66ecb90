import { canonicalEmail } from '@sixdigit/contract/addresses/email-address.ts';
import { OPERATOR_ROLES, type OperatorRole } from '@sixdigit/contract/operator/operator.ts';
import { addOperator, removeOperator, selectOperators } from '../../../operator/operator.ts';
import { Refusal } from '../../../platform/file-problem.ts';

const USAGE = `Use one of:
  npm start -- operator add <email> [${OPERATOR_ROLES.join(' | ')}]   (admin by default; the account must exist)
  npm start -- operator remove <email>
  npm start -- operator list`;

const invitationLines = (link: string): string[] => [
  'No carrier is set up yet, so the account gets no code. Open this link within 30 minutes to choose its password:',
  `  ${link}`,
  'Then sign in, turn on two-factor authentication in Settings, and add a carrier in the operator console.',
];

/** `npm start -- operator`: names the accounts that may use the operator console. Returns the exit code. */
export async function operatorCommand(
  app: Parameters<typeof addOperator>[0],
  [verb, address, role = 'admin', ...rest]: readonly string[],
  print: (line: string) => void,
): Promise<number> {
  if (verb === 'list' && address === undefined) {
    const operators = await selectOperators(app.db);
    for (const { email, role, is_suspended } of operators)
      print(`${role.padEnd(8)} ${email}${is_suspended ? ' (suspended)' : ''}`);
    if (operators.length === 0) print('There are no operators.');
    return 0;
  }
  const email = canonicalEmail(address ?? '');
  if (!email || rest.length > 0) {
    print(USAGE);
    return 2;
  }
  try {
    if (verb === 'add' && OPERATOR_ROLES.includes(role as OperatorRole)) {
      const link = await addOperator(app, email, role as OperatorRole);
      print(`${email} is an operator with the role ${role}.`);
      if (link) for (const line of invitationLines(link)) print(line);
      return 0;
    }
    if (verb === 'remove' && role === 'admin') {
      await removeOperator(app, email);
      print(`${email} is no longer an operator.`);
      return 0;
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    print(error.message);
    return 1;
  }
  print(USAGE);
  return 2;
}
