/**
 * People: who they are, how they sign in, and what they set for their sends. A session ends everywhere the moment it is
 * ended; a code opens one thing once; nobody learns who has an account, and no flood keeps an owner out.
 */
export { authenticatePerson } from './access.ts';
