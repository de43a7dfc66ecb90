interface Named {
  first_name: string;
  last_name: string;
  email: string;
}

/** The initials of first and last name, or of the e-mail address without a last name. */
export function initials({ first_name, last_name, email }: Named): string {
  const first = [...first_name.trim()][0] ?? '';
  const last = [...last_name.trim()][0] ?? '';
  return (last === '' ? ([...email][0] ?? '') : first + last).toUpperCase();
}

/** The name in the user menu. */
export const fullName = (person: Named & { username: string }): string =>
  `${person.first_name} ${person.last_name}`.trim() || person.username;
