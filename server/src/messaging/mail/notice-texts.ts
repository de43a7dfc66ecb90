/** The texts of all e-mails from Sixdigit to its own customers. No subject contains a code. */
export * from './account-notices.ts';
export * from './code-notices.ts';
export * from './credit-notices.ts';
export * from './member-notices.ts';
export * from './security-notices.ts';
