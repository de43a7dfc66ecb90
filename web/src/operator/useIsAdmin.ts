import { useQuery } from '@tanstack/react-query';
import { currentUser } from '../accounts/current-user.ts';

/** Whether the operator may change anything. The server checks it again. */
export const useIsAdmin = (): boolean => useQuery(currentUser).data?.operator_role === 'admin';
