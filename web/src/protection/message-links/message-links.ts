import { listMessageDomains } from '@sixdigit/contract/message-links.ts';
import { read } from '../../api/read.ts';

/** The account's link domains, and whether the deployment restricts links. */
export const linkDomains = read(listMessageDomains, {});
