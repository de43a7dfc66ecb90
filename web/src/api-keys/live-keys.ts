import { getKeyRules, type KeyMode } from '@sixdigit/contract/api-keys.ts';
import { useQuery } from '@tanstack/react-query';
import { useMay, useRole } from '../accounts/role.ts';
import { read } from '../api/read.ts';

export const keyRules = read(getKeyRules, {});

/**
 * Whether the user may create, change and rotate keys and connections of a mode. An account can restrict live ones to admins. Its
 * developers can still delete them.
 */
export function useMayManage(): (mode: KeyMode) => boolean {
  const isDeveloper = useRole() === 'developer';
  const may = useMay();
  const { data } = useQuery({ ...keyRules, enabled: isDeveloper });
  const isRestricted = isDeveloper && data?.live_keys_need_admin === true;
  return (mode) => may('updateApiKey') && !(isRestricted && mode === 'live');
}
