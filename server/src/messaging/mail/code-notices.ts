import { duration } from './code-texts.ts';
import { type Letterhead, type Mail, renderNotice } from './notice.ts';

export interface CodeNotice extends Letterhead {
  code: string;
  expiresInSeconds: number;
}

const notYou = 'If this was not you, you can ignore this email. Never share the code with anyone.';

export function signUpCode(notice: CodeNotice): Mail {
  return renderNotice({
    ...notice,
    heading: 'Confirm your email address',
    subject: `Confirm your email address for ${notice.brand}`,
    paragraphs: [`Enter this code to finish creating your ${notice.brand} account.`],
    remark: notYou,
  });
}

export function signInCode(notice: CodeNotice): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your sign-in code',
    subject: `Your ${notice.brand} sign-in code`,
    paragraphs: [`Enter this code to finish signing in to ${notice.brand}.`],
    remark:
      'If you are not signing in, somebody knows your password: change it. Never share the code with anyone.',
  });
}

export function stepUpCode(notice: CodeNotice): Mail {
  return renderNotice({
    ...notice,
    heading: 'Confirm it is you',
    subject: `Your ${notice.brand} confirmation code`,
    paragraphs: [`Enter this code to confirm a change of your ${notice.brand} account.`],
    remark:
      'If you are not changing anything, somebody uses your account: change your password and sign out everywhere. Never share the code with anyone.',
  });
}

/** Goes to the new address. */
export function emailChangeCode(notice: CodeNotice): Mail {
  return renderNotice({
    ...notice,
    heading: 'Confirm your new email address',
    subject: `Confirm your new email address for ${notice.brand}`,
    paragraphs: [
      `You asked our support to change the address of your ${notice.brand} account to this one. Read this code out to the person who helps you.`,
    ],
    remark:
      'If you did not ask for this, do not give the code to anyone, not even to us: the address then stays as it is.',
  });
}

/** Without a code, the link alone resets the password. */
export function passwordReset(
  notice: Letterhead & {
    code?: string | undefined;
    expiresInSeconds: number;
    resetUrl: string;
    linkExpiresInSeconds: number;
  },
): Mail {
  const lifetime = duration(notice.linkExpiresInSeconds);
  return renderNotice({
    ...notice,
    heading: 'Choose a new password',
    subject: `Reset your ${notice.brand} password`,
    paragraphs: [
      `Open this link to choose a new password for your ${notice.brand} account. It works once, for ${lifetime}.`,
      ...(notice.code ? ['Or enter this code on the page where you asked for this email.'] : []),
    ],
    action: { label: 'Choose a new password', url: notice.resetUrl },
    remark:
      'If you did not ask for this, your password stays as it is. Never share the link or the code with anyone.',
  });
}
