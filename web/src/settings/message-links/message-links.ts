import { listMessageDomains } from '@sixdigit/contract/message-links.ts';
import { read } from '../../api/read.ts';

/** The domains that messages of the account may link to, and whether the deployment limits links. */
export const linkDomains = read(listMessageDomains, {});
